// A stdio MCP server written by hand: what it does is told by the environment.
// TOOLS: JSON of [name, readOnly?][]; RESULT: JSON of the call's structured content; MODE: silent | noise | endless | dies | error | big.
// LOG: file that gets one line for each method, and the environment's names with `env`.
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const { TOOLS = '[]', RESULT = '{}', MODE = '', LOG } = process.env;
const log = (line) => LOG && fs.appendFileSync(LOG, `${line}\n`);
log(`pid ${process.pid}`);
log(`env ${Object.keys(process.env).sort().join(' ')}`);
log(`cwd ${process.cwd()}`);
if (MODE === 'dies') {
  process.stderr.write('Traceback\n\u001b[31mModuleNotFoundError: No module named tool\u001b[0m\n');
  process.exit(3);
}
if (MODE === 'child') {
  const child = spawn('sh', ['-c', 'trap "" TERM; exec sleep 300'], { detached: true, stdio: 'ignore' });
  log(`child ${child.pid}`);
  child.unref();
}
if (MODE === 'noise') process.stdout.write('Welcome!\n{"not": "a message"}\n');
if (MODE === 'endless') setInterval(() => process.stdout.write('x'.repeat(1024 * 1024)), 1);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
    const message = JSON.parse(rest.slice(0, at));
    rest = rest.slice(at + 1);
    answer(message);
  }
});
process.stdin.on('end', () => process.exit(0));
function answer({ id, method, params }) {
  log(`${method}${params?.name ? ` ${params.name} ${JSON.stringify(params.arguments)}` : ''}`);
  if (id === undefined || MODE === 'silent' || MODE === 'endless') return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'fake\u001b[31m', version: '1.2.3' };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    const tools = JSON.parse(TOOLS).map(([name, readOnlyHint, required]) => ({
      name,
      inputSchema: { type: 'object', ...(required ? { required } : {}) },
      ...(readOnlyHint === undefined || readOnlyHint === null ? {} : { annotations: { readOnlyHint } }),
    }));
    const half = MODE === 'pages' ? Number(params?.cursor ?? 0) : undefined;
    if (half === undefined) send({ id, result: { tools } });
    else
      send({
        id,
        result: {
          tools: tools.slice(half, half + 1),
          nextCursor: half + 1 < tools.length ? String(half + 1) : undefined,
        },
      });
  } else if (method === 'tools/call' && MODE === 'error') {
    send({ id, result: { isError: true, content: [{ type: 'text', text: 'no' }] } });
  } else if (method === 'tools/call') {
    send({ id, result: { content: [{ type: 'text', text: RESULT }] } });
  } else {
    send({ id, error: { code: -32601, message: 'unknown' } });
  }
}
