// A client of somebody else that retries mutations by itself: with a key that is one order, and without one it is none.

import assert from 'node:assert/strict';
import { Client, fetchExchange, gql } from '@urql/core';
import { retryExchange } from '@urql/exchange-retry';
import { sdkTests } from './sdk.mjs';

const sdkTest = sdkTests({ tables: 2 });

const PLACE = gql`
  mutation PlaceOrder($input: PlaceOrderInput!) {
    placeOrder(input: $input) {
      orderId
      idempotentReplay
    }
  }
`;

/** Orders by a client that tries three times, of which two get no answer. Answers what the server said, and what the client was told. */
async function order({ house, table, network }, input) {
  const heard = [];
  const listen = async (exchange) => {
    const answer = await exchange.pass();
    heard.push(JSON.parse(answer.body));
    if (heard.length > 2) return exchange.answer(answer);
    exchange.reset();
  };
  network.always = listen;
  const client = new Client({
    url: `${network.url}/graphql`,
    preferGetMethod: false,
    exchanges: [retryExchange({ initialDelayMs: 10, maxNumberAttempts: 3 }), fetchExchange],
    fetchOptions: {
      headers: {
        'X-Session-Id': table.id,
        'X-Session-PIN': table.pin,
        'X-MasterOrder-Client-Id': `guest-${crypto.randomUUID()}`,
      },
    },
  });
  const told = await client.mutation(PLACE, { input: { lines: [house.line('B-DRAFT')], ...input } }).toPromise();
  return { heard, told };
}

/** AC-141. */
sdkTest('with a key the third try is told of the first one\'s order', async ({ tickets, ...around }) => {
  const { heard, told } = await order(around, { requestId: crypto.randomUUID() });
  const placements = heard.map(({ data }) => data.placeOrder);
  assert.deepEqual(placements.map(({ idempotentReplay }) => idempotentReplay), [false, true, true]);
  assert.equal(told.error, undefined);
  assert.deepEqual(told.data.placeOrder, placements[2]);
  assert.deepEqual((await tickets()).map(({ orderId }) => orderId), [told.data.placeOrder.orderId]);
});

/** AC-141. */
sdkTest('without a key each of the three is refused', async ({ tickets, ...around }) => {
  const { heard, told } = await order(around, {});
  const codes = heard.map(({ errors }) => errors[0].extensions.code);
  assert.deepEqual(codes, Array(3).fill('BAD_USER_INPUT'));
  assert.equal(told.error.graphQLErrors[0].extensions.code, 'BAD_USER_INPUT');
  assert.deepEqual(await tickets(), []);
});
