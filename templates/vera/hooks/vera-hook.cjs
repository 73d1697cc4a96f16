#!/usr/bin/env node
'use strict';

/*
 * Hook of the VERA integration. It knows nothing but git metadata of this checkout, keeps no state, opens no connection
 * and always exits 0 with an empty stderr: a hook that fails must not stop anyone's work.
 *
 *   node vera-hook.cjs session-start [--project=NAME]   prints the arguments for knowledge_bootstrap
 *   node vera-hook.cjs before-tool [--server=NAME]      asks before a VERA tool writes; never allows anything
 *
 * The session's event arrives as JSON on stdin. Of it only `cwd`, the tool's name and its `persist` argument are looked at.
 * Needs Node 16.9 or later.
 */

const childProcess = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const TAG = '[vera-bootstrap-reminder:v1]';
const GIT_CALL_MS = 1000;
const GIT_TOTAL_MS = 2500;
const STDIN_MS = 1000;
const STDIN_BYTES = 1024 * 1024;

const WRITE_TOOLS = [
  'knowledge_propose',
  'knowledge_retract_proposal',
  'knowledge_feedback',
  'knowledge_create_snapshot',
  'memory_propose',
  'memory_feedback',
];

// --- repository identity ------------------------------------------------------------------------------------------

/**
 * `host[:port]/path` of a git remote, or undefined when it is no network remote. User names, passwords, query, fragment
 * and `.git` go; local paths in any spelling are refused, and so is whatever might hide a credential.
 */
function repositoryIdentity(remote) {
  if (typeof remote !== 'string' || remote.length === 0 || remote.length > 4096) return undefined;
  const cut = remote.split(/[?#]/, 1)[0];
  // Local by its beginning, whatever follows: `file:`, a home folder, a drive letter, a path.
  if (/^(?:file:|~|[a-z]:|\.{0,2}\/)/i.test(remote)) return undefined;
  // Control characters, white space, invisible ones and backslashes have no place in a remote.
  if (/[\s\\\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(remote)) return undefined;
  // An `@` behind the host is either a rare path or the end of a password with a special character in it.
  const behind = remote.slice(cut.length);
  if (behind.indexOf('@') >= 0) return undefined;
  const parts = networkParts(cut);
  if (parts === undefined) return undefined;
  let segments = parts.path.split('/').filter((segment) => segment !== '');
  if (segments.length === 0 || /^~(?:\.git)?$/.test(segments[0])) return undefined;
  for (let index = 0; index < segments.length; index++) {
    const plain = decoded(segments[index]);
    // With and without the ending that goes: `...git` would become a step up.
    if (plain === undefined || /^\.{1,2}(?:\.git)?$/.test(plain)) return undefined;
    if (/[/\\?#@\p{Cc}\p{Cf}]/u.test(plain)) return undefined;
  }
  const last = segments[segments.length - 1].replace(/\.git$/, '');
  segments = last === '' ? segments.slice(0, -1) : segments.slice(0, -1).concat(last);
  if (segments.length === 0) return undefined;
  const identity = `${parts.host}/${segments.join('/')}`;
  return identity.length <= 1024 ? identity : undefined;
}

/** Host in lower case (port kept) and path; undefined for what is no URL of git, http, https or ssh and no scp form. */
function networkParts(text) {
  const url = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/.exec(text);
  if (url !== null) {
    if (['git', 'http', 'https', 'ssh'].indexOf(url[1].toLowerCase()) < 0) return undefined;
    const authority = url[2].slice(url[2].lastIndexOf('@') + 1);
    const host = /^([^:[\]]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$/.exec(authority);
    if (host === null || !isHost(host[1])) return undefined;
    return { host: authority.toLowerCase(), path: url[3] || '' };
  }
  // user@host:path; a single letter before the colon is a drive, two colons name a helper program.
  const scp = /^(?:[^@/:]+(?::[^@/]*)?@)?([^@/:]+):(?!:)(.+)$/.exec(text);
  if (scp === null || scp[1].length < 2 || !isHost(scp[1])) return undefined;
  if (/^(?:file|git|https?|ssh)$/i.test(scp[1]) || scp[2].charAt(0) === '~') return undefined;
  return { host: scp[1].toLowerCase(), path: scp[2] };
}

function isHost(host) {
  return /^\[[0-9A-Fa-f:.]+\]$/.test(host) || /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A branch that can be sent: 1 to 512 characters, none of them invisible. */
function branchName(text) {
  if (text.length === 0 || text.length > 512) return undefined;
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u.test(text) ? undefined : text;
}

// --- git ----------------------------------------------------------------------------------------------------------

/** Set by git for its own hooks: they name another repository than the folder we are in. */
const ELSEWHERE =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|NAMESPACE|CONFIG|CONFIG_PARAMETERS)$/i;

/** Runs git in `cwd`; undefined on any failure. `deadline` bounds all calls of one hook together. */
function git(cwd, args, deadline) {
  const left = Math.min(GIT_CALL_MS, deadline - Date.now());
  if (left <= 0) return undefined;
  const env = {};
  Object.keys(process.env).forEach((name) => {
    if (!ELSEWHERE.test(name)) env[name] = process.env[name];
  });
  env.GIT_OPTIONAL_LOCKS = '0';
  env.GIT_TERMINAL_PROMPT = '0';
  env.LC_ALL = 'C';
  const result = childProcess.spawnSync('git', ['-C', cwd].concat(args), {
    env: env,
    encoding: 'utf8',
    timeout: left,
    killSignal: 'SIGKILL',
    maxBuffer: 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return result.status === 0 && result.error === undefined ? result.stdout : undefined;
}

/** What this checkout is: `{repository?, branch?, why?}`; `why` says why there is no repository. */
function checkout(cwd) {
  const deadline = Date.now() + GIT_TOTAL_MS;
  const head = git(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'], deadline);
  const branch = head === undefined ? undefined : branchName(head.replace(/\n$/, ''));
  const config = git(cwd, ['config', '--null', '--get-regexp', '^(remote|branch)\\.'], deadline);
  if (config === undefined) return { branch: branch, why: 'no git remote can be read here' };
  const settings = parseSettings(config);
  const name = chosenRemote(settings, branch);
  if (name === undefined) {
    const count = settings.remotes.length;
    return {
      branch: branch,
      why:
        count === 0
          ? 'the checkout has no git remote'
          : 'several git remotes, none of them chosen for this branch',
    };
  }
  // Asked again because `insteadOf` rules may rewrite the configured text.
  const url = git(cwd, ['remote', 'get-url', '--', name], deadline);
  const repository = url === undefined ? undefined : repositoryIdentity(url.split('\n', 1)[0]);
  if (repository === undefined) return { branch: branch, why: 'the git remote is no network address' };
  return { repository: repository, branch: branch };
}

function parseSettings(text) {
  const settings = { remotes: [], upstream: {}, pushDefault: undefined };
  text.split('\0').forEach((entry) => {
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    const value = end < 0 ? '' : entry.slice(end + 1);
    const url = /^remote\.([\s\S]+)\.url$/.exec(key);
    if (url !== null && settings.remotes.indexOf(url[1]) < 0) settings.remotes.push(url[1]);
    const upstream = /^branch\.([\s\S]+)\.remote$/.exec(key);
    if (upstream !== null) settings.upstream[`b:${upstream[1]}`] = value;
    if (key === 'remote.pushdefault') settings.pushDefault = value;
  });
  return settings;
}

/** The branch's own remote, else the default for pushing, else the only one. A chosen one that does not exist is none. */
function chosenRemote(settings, branch) {
  const own = branch === undefined ? undefined : settings.upstream[`b:${branch}`];
  // `.` says that the branch follows a local one.
  const wanted = own !== undefined && own !== '.' && own !== '' ? own : settings.pushDefault;
  if (wanted !== undefined && wanted !== '') {
    return settings.remotes.indexOf(wanted) >= 0 ? wanted : undefined;
  }
  return settings.remotes.length === 1 ? settings.remotes[0] : undefined;
}

// --- events -------------------------------------------------------------------------------------------------------

function inCopilot() {
  return process.env.COPILOT_CLI === '1';
}

/**
 * The one envelope that the payloads of all coding tools are mapped into: who runs the hook, and of what it sends the three
 * members that are looked at. Claude Code and Codex write `hook_event_name` and `tool_name`, Copilot CLI and VS Code
 * `toolName`, VS Code `hookEventName`.
 */
function envelope(payload) {
  const named = payload.hook_event_name !== undefined;
  return {
    tool: inCopilot() ? 'copilot-cli' : payload.hookEventName === undefined ? 'claude-code' : 'vscode',
    speaks: named ? 'claude-code' : 'own',
    cwd: typeof payload.cwd === 'string' && path.isAbsolute(payload.cwd) ? payload.cwd : process.cwd(),
    name: firstDefined(payload.tool_name, payload.toolName),
    input: firstDefined(payload.tool_input, payload.toolArgs),
  };
}

/**
 * Copilot CLI and VS Code also run what is registered for Claude Code. Where Copilot's own registration stands beside it,
 * that one speaks and this one is silent. Only Claude Code itself names the event `hook_event_name` outside Copilot.
 */
function isSaidElsewhere(event) {
  const isOwn = event.tool === 'copilot-cli' && event.speaks === 'own';
  if (event.tool === 'claude-code' || isOwn || path.basename(path.dirname(__dirname)) !== '.claude')
    return false;
  return fs.existsSync(path.join(__dirname, '..', '..', '.github', 'hooks', path.basename(__filename)));
}

function reminder(found, project) {
  const values = {};
  if (found.repository !== undefined) values.repository = found.repository;
  if (found.branch !== undefined) values.branch = found.branch;
  if (project !== undefined) values.project = project;
  const text = JSON.stringify(values);
  if (found.repository === undefined) {
    return `${TAG} Degraded: ${found.why}. Work on without VERA, or ask the user which project applies. knowledge_bootstrap arguments known so far: ${text}`;
  }
  return `${TAG} knowledge_bootstrap arguments for this checkout, from local git metadata only: ${text}`;
}

function sessionStart(event, args) {
  if (isSaidElsewhere(event)) return undefined;
  const text = reminder(checkout(event.cwd), projectOf(args));
  if (event.tool === 'copilot-cli') return { additionalContext: text };
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } };
}

function projectOf(args) {
  for (let index = 0; index < args.length; index++) {
    const match = /^--project=([\s\S]+)$/.exec(args[index]);
    if (match !== null && match[1].length <= 512 && !/[\p{Cc}\p{Cf}]/u.test(match[1])) return match[1];
  }
  return undefined;
}

function beforeTool(event, args) {
  const reason = consentReason(event.name, event.input, serverNamed(args));
  if (reason === undefined) return undefined;
  if (event.tool === 'copilot-cli') return { permissionDecision: 'ask', permissionDecisionReason: reason };
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'ask',
      permissionDecisionReason: reason,
    },
  };
}

/** The name of the VERA server of this hook: `--server=NAME`, else `vera`. */
function serverNamed(args) {
  const given = /^--server=([A-Za-z0-9_-]{1,64})$/.exec(String(args[0]));
  return given === null ? 'vera' : given[1];
}

/** Why a person must be asked, or undefined. A tool's name is spelled by each coding tool in its own way. */
function consentReason(name, input, server) {
  const own = (server || 'vera').replace(/[-_]/g, '[-_]');
  const match = new RegExp(`^(?:mcp_{1,2})?${own}(?:__|[_.:/-])((?:knowledge|memory)_[a-z_]+)$`).exec(
    String(name),
  );
  if (match === null) return undefined;
  const tool = match[1];
  if (WRITE_TOOLS.indexOf(tool) >= 0) return `${TAG} ${tool} writes to VERA and needs your decision.`;
  if (tool === 'knowledge_get_context' && mayPersist(input)) {
    return `${TAG} knowledge_get_context would store this context in VERA (persist) and needs your decision.`;
  }
  return undefined;
}

/** Only an absent `persist` and a plain `false` are certain not to store anything. */
function mayPersist(input) {
  let value = input;
  if (typeof value === 'string') value = parsed(value);
  if (value === undefined) return typeof input === 'string';
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return true;
  return Object.hasOwn(value, 'persist') && value.persist !== false;
}

function firstDefined(first, second) {
  return first === undefined ? second : first;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls back once with the event; whatever is no JSON object, too large or too late counts as `{}`. */
function readEvent(done) {
  let chunks = [];
  let size = 0;
  const timer = setTimeout(finish, STDIN_MS);
  function finish() {
    clearTimeout(timer);
    process.stdin.removeAllListeners('data');
    const text = size <= STDIN_BYTES ? Buffer.concat(chunks).toString('utf8') : '';
    const value = parsed(text.replace(/^\uFEFF/, ''));
    done(value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {});
  }
  process.stdin.on('data', (chunk) => {
    size += chunk.length;
    // Read on without keeping it: the sender must not see a broken pipe.
    if (size <= STDIN_BYTES) chunks.push(chunk);
    else chunks = [];
  });
  process.stdin.once('end', finish);
  process.stdin.once('error', finish);
}

function main(argv) {
  const command = argv[0];
  if (command !== 'session-start' && command !== 'before-tool') return process.exit(0);
  // Without this, Windows would look for git in the repository first.
  process.env.NoDefaultCurrentDirectoryInExePath = '1';
  process.on('uncaughtException', () => {
    process.exit(0);
  });
  readEvent((payload) => {
    const event = envelope(payload);
    const output =
      command === 'session-start' ? sessionStart(event, argv.slice(1)) : beforeTool(event, argv.slice(1));
    if (output !== undefined) fs.writeSync(1, `${JSON.stringify(output)}\n`);
    process.exit(0);
  });
  return undefined;
}

if (require.main === module) main(process.argv.slice(2));
else
  module.exports = {
    repositoryIdentity: repositoryIdentity,
    consentReason: consentReason,
    envelope: envelope,
  };
