#!/usr/bin/env node
import { spawn } from 'node:child_process';
// A stand-in for Gemini CLI, written from what the real one does: it reads its project file, uses a folder only when its
// user trusted it, and reaches the servers that it lists. `behaviour` and `version` beside it say how it behaves.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const text = (name, fallback) =>
  existsSync(join(here, name)) ? readFileSync(join(here, name), 'utf8').trim() : fallback;
const behaviour = text('behaviour', 'fine');
const words = process.argv.slice(2).join(' ');
appendFileSync(join(here, 'calls'), `${words} in ${process.cwd()} as ${homedir()}\n`);

if (behaviour === 'hang') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
    detached: true,
  });
  writeFileSync(join(here, 'pids'), `${process.pid} ${child.pid}`);
  setInterval(() => {}, 1000);
} else if (words === '--version') {
  console.log(behaviour === 'other' ? 'gemini, the telescope driver' : text('version', '0.61.0'));
} else if (words === 'mcp list') {
  await list();
} else {
  process.exitCode = 42;
}

async function list() {
  if (behaviour === 'refuses') {
    console.error('Error in settings.json');
    process.exitCode = 52;
    return;
  }
  const file = join('.gemini', 'settings.json');
  const servers = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).mcpServers ?? {}) : {};
  if (behaviour === 'litters' && 'vera' in servers) writeFileSync('litter.txt', 'left behind\n');
  const rules = join(homedir(), '.gemini', 'trustedFolders.json');
  const trusted =
    existsSync(rules) && JSON.parse(readFileSync(rules, 'utf8'))[process.cwd()] === 'TRUST_FOLDER';
  const names = Object.keys(servers).filter((name) => behaviour !== 'blind' || name !== 'vera');
  console.log(names.length === 0 ? 'No MCP servers configured.' : 'Configured MCP servers:\n');
  for (const name of names) {
    const url = servers[name].httpUrl;
    const state = !trusted ? 'Disabled' : (await reach(url)) ? 'Connected' : 'Disconnected';
    console.log(`${state === 'Connected' ? '✓' : '✗'} ${name}: ${url} (http) - ${state}`);
  }
}

async function reach(url) {
  if (behaviour === 'lies') return true;
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fake', version: '1' } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.ok;
}
