/** How each client puts variables into a value, by hand; see entries.ts. Clients that are missing here expand nothing. */

import { SHAPE_DATA } from './entries.ts';

type Env = Readonly<Record<string, string>>;
type Expand = (text: string, env: Env) => string;

const by =
  (pattern: RegExp): Expand =>
  (text, env) =>
    text.replace(pattern, (whole, ...groups: (string | undefined)[]) => {
      const name = groups.slice(0, -2).find((group) => typeof group === 'string');
      return (name === undefined ? undefined : env[name]) ?? whole;
    });

const braces = by(/\$\{(\w+)(?::-[^}]*)?\}/gu);
const dollar = by(/\$(?:(\w+)|\{(\w+)\})/gu);
const vscodeLike = by(/\$\{env:(\w+)\}/gu);
const opencode = by(/\{env:(\w+)\}/gu);

const WRITTEN: Readonly<Record<string, Expand>> = {
  'claude-code': braces,
  opencode,
  kilo: opencode,
  vscode: vscodeLike,
  cursor: vscodeLike,
  windsurf: vscodeLike,
  cline: vscodeLike,
  roo: vscodeLike,
  'gemini-cli': dollar,
  'qwen-code': dollar,
  'copilot-cli': dollar,
  crush: dollar,
  'factory-droid': braces,
  amp: braces,
  kiro: braces,
  warp: braces,
};

export const EXPAND: Readonly<Record<string, Expand>> = {
  ...WRITTEN,
  ...Object.fromEntries(
    [...SHAPE_DATA].flatMap(([id, { expands }]) =>
      expands === undefined ? [] : [[id, by(new RegExp(expands, 'gu'))]],
    ),
  ),
};
