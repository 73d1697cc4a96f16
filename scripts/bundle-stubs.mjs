// Modules of third parties that the bundle replaces, because nothing that tenon calls reaches them: 150 kB less to install.
// `test/e2e/package.test.ts` holds them to that: it meets each of the callers in the packed package.

/** End of a module's path -> what stands in its place. */
const STUBS = {
  // Checks schemas that a peer of an MCP connection sends: elicitation and results of `client.callTool`, neither used.
  '@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js':
    "export class AjvJsonSchemaValidator { getValidator() { throw new Error('schemas of peers are not checked here'); } }",
  // OAuth of the SDK's own client; a live check sends the headers that it was given and no authProvider.
  '@modelcontextprotocol/sdk/dist/esm/client/auth.js': [
    'export class UnauthorizedError extends Error {}',
    'export const auth = async () => { throw new UnauthorizedError(); };',
    'export const extractWWWAuthenticateParams = () => ({});',
  ].join('\n'),
  // What simple-git logs with DEBUG set.
  'debug/src/index.js': [
    'const debug = () => Object.assign(() => {}, { enabled: false, extend: debug });',
    'export default Object.assign(debug, { formatters: {}, enabled: () => false });',
  ].join('\n'),
};

/** The plugin for rolldown and tsdown. */
export const bundleStubs = {
  name: 'bundle-stubs',
  load(id) {
    const end = Object.keys(STUBS).find((path) => id.replaceAll('\\', '/').endsWith(`/node_modules/${path}`));
    return end === undefined ? null : { code: STUBS[end], moduleType: 'js' };
  },
};
