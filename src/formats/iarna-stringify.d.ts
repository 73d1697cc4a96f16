/** The part of the package that renders one value; its own types describe only the entry point. */
declare module '@iarna/toml/stringify.js' {
  const stringify: { value(value: unknown): string };
  export = stringify;
}
