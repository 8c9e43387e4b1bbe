"""What no schema can say: which items exist, and that nobody is a guest and an integrator at once.

MASTERORDER_SEED names what `masterorder seed-demo --json` printed, MASTERORDER_URL the server; MASTERORDER_ROLE says who asks:
guest or integrator.
"""

import json
import os
import random
import urllib.request
import uuid

import schemathesis

CREDENTIALS_OF_OTHERS = {"guest": {"authorization"}, "integrator": {"x-session-id", "x-session-pin"}}

role = os.environ["MASTERORDER_ROLE"]
with open(os.environ["MASTERORDER_SEED"], encoding="utf-8") as file:
    seed = json.load(file)
# an item with toppings may want a choice among them, which is one more thing to guess
items = [item["id"] for item in seed["menuItems"] if not item["toppings"]]
USED = "550e8400-e29b-41d4-a716-446655440000"
# its own, so that a seed of the run is the whole run
chance = random.Random(0)

# a fuzzer is quicker than any guest
policy = {"query": "mutation { setOrderingPolicy(input: { cooldownMs: 0, burstMs: 0 }) { shop { id } } }"}
request = urllib.request.Request(
    os.environ["MASTERORDER_URL"] + "/graphql",
    json.dumps(policy).encode(),
    {"Content-Type": "application/json", "Authorization": "Bearer " + seed["staffKey"]},
)
with urllib.request.urlopen(request) as answer:
    assert b"errors" not in answer.read()


@schemathesis.hook
def map_headers(context, headers):
    """A guest's headers and an integrator's together are refused before anything is looked at."""
    headers = {name: value for name, value in (headers or {}).items() if name.lower() not in CREDENTIALS_OF_OTHERS[role]}
    for name, value in headers.items():
        if name.lower() == "idempotency-key" and isinstance(value, str) and len(value) == 36:
            headers[name] = another_id()
    return headers


@schemathesis.hook
def map_body(context, body):
    """Lets most orders get as far as being placed: a random id is no item, a random price is not today's."""
    if context.operation.path != "/v1/orders" or not isinstance(body, dict):
        return body
    body = {name: value for name, value in body.items() if name != "tableSessionId"}
    if role == "integrator":
        body["tableSessionId"] = seed["tableSessions"][0]["id"]
    if isinstance(body.get("checkoutId"), str) and len(body["checkoutId"]) == 36:
        body["checkoutId"] = another_id()
    lines = body.get("lines")
    for line in lines if isinstance(lines, list) else []:
        # what is malformed on purpose stays so
        if not isinstance(line, dict):
            continue
        if isinstance(line.get("menuItemId"), str) and len(line["menuItemId"]) == 36:
            line["menuItemId"] = chance.choice(items)
            line.pop("toppings", None)
        # 2.0 is an integer to a schema, but not to us; most clients can not even send it
        if isinstance(line.get("quantity"), float) and line["quantity"].is_integer():
            line["quantity"] = int(line["quantity"])
    if chance.random() < 0.8:
        body.pop("expectedTotal", None)
        body.pop("confirmDuplicateOf", None)
    return body


def another_id():
    """A cart or a key of its own, or one that was there before."""
    return str(uuid.UUID(int=chance.getrandbits(128), version=4)) if chance.random() < 0.9 else USED

