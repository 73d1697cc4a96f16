import type { Theme } from './types.ts';

const UNICODE = { ok: '✔', warn: '▲', fail: '✖', dot: '●' } as const;
const ASCII = { ok: 'v', warn: '!', fail: 'x', dot: '*' } as const;

/** Colours by meaning. With `color` off every function returns its text unchanged; meaning never hangs on colour. */
export function createTheme(options: {
  readonly color: boolean;
  readonly unicode: boolean;
  readonly width?: number | undefined;
}): Theme {
  const paint = (on: number, off: number) => (text: string) =>
    options.color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    color: options.color,
    unicode: options.unicode,
    width: Math.min(Math.max(options.width ?? 80, 40), 100),
    bold: paint(1, 22),
    dim: paint(2, 22),
    ok: paint(32, 39),
    warn: paint(33, 39),
    fail: paint(31, 39),
    add: paint(32, 39),
    del: paint(31, 39),
    accent: paint(36, 39),
    glyph: options.unicode ? UNICODE : ASCII,
  };
}

/** Neither colour nor glyphs beyond ASCII, 80 columns. */
export const PLAIN_THEME: Theme = createTheme({ color: false, unicode: false });

/** `·`, or `-` where only ASCII can be shown. */
export const separator = (theme: Theme): string => (theme.unicode ? '·' : '-');

/** `–` for "does not apply", or `-`. */
export const none = (theme: Theme): string => (theme.unicode ? '–' : '-');
