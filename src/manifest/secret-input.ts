/** `AWS_SECRET_ACCESS_KEY` and the like are no inputs: a manifest must never become a place for secrets. */
export const isSecretInput = (name: string): boolean =>
  /SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|(^|_)(API_?KEY|ACCESS_KEY|TOKEN)(_|$)/.test(name);
