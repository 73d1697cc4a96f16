import type { Json } from '../lib/json.ts';
import { isObject } from '../lib/json.ts';

/** How one value is written. `indent` is that of the line on which the value begins. */
export interface RenderStyle {
  /** Undefined: everything on one line. */
  readonly lines: { readonly eol: string; readonly indent: string; readonly unit: string } | undefined;
  readonly colon: string;
  readonly comma: string;
}

/** Arrays of scalars stay on one line up to this column, as the usual formatters have it. */
const LINE_WIDTH = 80;

/** Text of a value; strings as JSON.stringify escapes them, members in their own order, bigint as digits. */
export function renderJson(value: Json, style: RenderStyle): string {
  if (Array.isArray(value)) return renderArray(value as readonly Json[], style);
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, member]) => renderMember(key, member, deeper(style)));
    return wrap('{', members, '}', style);
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

export const renderMember = (key: string, value: Json, style: RenderStyle): string =>
  `${JSON.stringify(key)}${style.colon}${renderJson(value, style)}`;

function renderArray(value: readonly Json[], style: RenderStyle): string {
  if (style.lines !== undefined && value.every(isShort)) {
    const line = `[${value.map((item) => renderJson(item, style)).join(', ')}]`;
    if (style.lines.indent.length + line.length <= LINE_WIDTH) return line;
  }
  const items = value.map((item) => renderJson(item, deeper(style)));
  return wrap('[', items, ']', style);
}

const isShort = (value: Json): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0;

function wrap(open: string, parts: readonly string[], close: string, style: RenderStyle): string {
  if (parts.length === 0) return open + close;
  if (style.lines === undefined) return open + parts.join(style.comma) + close;
  const { eol, indent, unit } = style.lines;
  const line = `${eol}${indent}${unit}`;
  return `${open}${line}${parts.join(`,${line}`)}${eol}${indent}${close}`;
}

const deeper = (style: RenderStyle): RenderStyle =>
  style.lines === undefined
    ? style
    : { ...style, lines: { ...style.lines, indent: style.lines.indent + style.lines.unit } };
