import { amount, cart, useCart } from './order.js';

export default function Cart({ names }) {
  const lines = useCart(() => cart.lines);
  const total = useCart(() => cart.total);
  const { phase, outcome, locked } = useCart(cart.state);
  const busy = phase === 'sending' || phase === 'waiting' || phase === 'checking';

  const line = ({ menuItemId, quantity }, index) => (
    <li key={menuItemId}>
      <span>{names.get(menuItemId)}</span>
      <button aria-label="One less" aria-disabled={locked} onClick={() => cart.setQuantity(index, quantity - 1)}>
        −
      </button>
      <span>{quantity}</span>
      <button aria-label="One more" aria-disabled={locked} onClick={() => cart.setQuantity(index, quantity + 1)}>
        +
      </button>
    </li>
  );

  return (
    <aside aria-label="Cart">
      <ul>{lines.map(line)}</ul>
      <Said outcome={outcome} />
      {/* tapped as often as the guest likes: one confirmation is one order */}
      <button className="order" aria-busy={busy} aria-disabled={lines.length === 0} onClick={() => lines.length > 0 && cart.submit()}>
        {total ? `Order for ${amount(total)}` : 'Order'}
      </button>
    </aside>
  );
}

/** What came of the last confirmation. `unknown` is no failure: the next tap sends the same again. */
function Said({ outcome }) {
  const placed = outcome?.kind === 'placed';
  const pending = outcome?.kind === 'pending' && 'The shop has not confirmed it yet.';
  return (
    <p role="status">
      {placed ? `Thank you. Your order has the number ${outcome.order.number}.` : (pending || outcome?.message)}
      {outcome?.kind === 'possibleDuplicate' && (
        <>
          <button onClick={outcome.confirm}>Order again</button>
          <button onClick={outcome.decline}>No</button>
        </>
      )}
    </p>
  );
}
