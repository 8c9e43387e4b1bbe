// The page asks its own host, and Vite passes it on to the MasterOrder server: no other origin has to be allowed.
const proxy = { '/graphql': process.env.MASTERORDER_URL ?? 'http://127.0.0.1:8080' };

export default { server: { proxy }, preview: { proxy } };
