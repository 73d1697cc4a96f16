/**
 * `AWS_SECRET_ACCESS_KEY` and the like are no inputs: a manifest must never become a place for secrets. An input that names
 * the variable of one ends with `_ENV` (`API_KEY_ENV`); it holds no secret.
 */
export const isSecretInput = (name: string): boolean =>
  !name.endsWith('_ENV') &&
  /SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|(^|_)(API_?KEY|ACCESS_KEY|TOKEN)(_|$)/.test(name);
