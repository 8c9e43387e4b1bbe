import { useEffect, useState } from 'react';
import Cart from './Cart.jsx';
import { amount, askMenu, cart, ready, useCart } from './order.js';

export default function App() {
  const [menu, setMenu] = useState([]);
  const [problem, setProblem] = useState('');
  const { locked } = useCart(cart.state);

  useEffect(() => {
    const tell = (error) => setProblem(error.message);
    ready.catch(tell);
    askMenu().then(setMenu, tell);
  }, []);

  const dish = ({ id, name, price, available, soldOut }) => (
    <li key={id}>
      <span>{name}</span>
      <span>{amount(price)}</span>
      {available && !soldOut ? (
        <button aria-label={`Add ${name}`} aria-disabled={locked} onClick={() => cart.add({ menuItemId: id, price, quantity: 1 })}>
          Add
        </button>
      ) : (
        <span>sold out</span>
      )}
    </li>
  );

  return (
    <>
      <main>
        <h1>Menu</h1>
        {problem && <p role="alert">{problem}</p>}
        {menu.map(({ id, name, items }) => (
          <section key={id}>
            <h2>{name}</h2>
            <ul>{items.map(dish)}</ul>
          </section>
        ))}
      </main>
      <Cart names={new Map(menu.flatMap(({ items }) => items).map(({ id, name }) => [id, name]))} />
    </>
  );
}
