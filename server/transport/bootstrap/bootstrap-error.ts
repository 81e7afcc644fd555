import type { z } from 'zod';

/** A bootstrap is invalid. The message is one line with the path of the field, what was expected and what came. */
export class BootstrapError extends Error {
  override readonly name = 'BootstrapError';

  /** `field` is empty for the bootstrap as a whole. */
  constructor(
    readonly field: string,
    expectedAndGot: string,
    options?: ErrorOptions,
  ) {
    super(`${field === '' ? 'the bootstrap' : field}: ${expectedAndGot}`, options);
  }
}

/** Advice for a bootstrap with credentials that xdscope cannot read. */
export const stateBeside = 'state the address and the TLS settings beside the bootstrap';

/** Throws a BootstrapError about the first field that does not match the schema. */
export function checkShape<T extends z.ZodType>(schema: T, value: unknown, where = ''): z.infer<T> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const path = issue?.path ?? [];
  throw new BootstrapError(
    formatPath(where, path),
    `${expectedOf(issue)}, got ${formatGot(valueAt(value, path))}`,
  );
}

/** Such as `authorities["a.b"].xds_servers[0]`. Keys that are not identifiers are quoted. */
export function formatPath(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_]\w*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, where);
}

/** The value in a few words, for one line of an error. */
export function formatGot(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
}

function expectedOf(issue: { readonly code?: string; readonly expected?: unknown } | undefined): string {
  if (issue?.code === 'too_small') return 'expected at least one';
  switch (issue?.expected) {
    case 'string':
      return 'expected text';
    case 'boolean':
      return 'expected true or false';
    case 'array':
      return 'expected a list';
    case 'object':
    case 'record':
      return 'expected an object';
    default:
      return 'expected another value';
  }
}
