/** What an instance of an integration may be called: the rule of server names, because its server is called so. */
export const INSTANCE_NAME = /^[A-Za-z0-9_-]{1,64}$/;
