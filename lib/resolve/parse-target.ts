/** How a gRPC client makes a listener's name of what it was told to dial (gRFC A47). */
export interface ListenerTemplates {
  /** `client_default_listener_resource_name_template`; "%s" where the bootstrap has none. */
  readonly clientDefault: string;
  /** By authority: `client_listener_resource_name_template`; '' where the authority has none. */
  readonly authorities: ReadonlyMap<string, string>;
}

export const defaultTemplates: ListenerTemplates = { clientDefault: '%s', authorities: new Map() };

export type ParsedTarget =
  | { readonly ok: true; readonly listener: string; readonly authority: string }
  | { readonly ok: false; readonly message: string };

/**
 * "xds:///shop" -> listener "shop", data-plane authority "shop". Anything without a scheme is taken for the path. The
 * authority is the target's path, never the resource's name.
 */
export function parseTarget(target: string, templates: ListenerTemplates = defaultTemplates): ParsedTarget {
  const [, scheme = '', host = '', rest] =
    /^([a-z][a-z0-9+.-]*):(?:\/\/([^/]*)\/)?(.*)$/is.exec(target) ?? [];
  const isXds = scheme.toLowerCase() === 'xds';
  const path = isXds ? (rest ?? '') : target;
  if (!isXds && /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) {
    return refuse(target, `expected xds:///NAME, got the scheme "${scheme}"`);
  }
  const authority = path.startsWith('/') ? path.slice(1) : path;
  if (authority === '') return refuse(target, 'expected a name after xds:///, got nothing');
  if (!isXds || host === '')
    return { ok: true, authority, listener: fill(templates.clientDefault, authority) };
  const name = decode(host);
  const template = templates.authorities.get(name);
  if (template === undefined && templates !== defaultTemplates) {
    return refuse(target, `the bootstrap has no authority "${name}"`);
  }
  const listener = template || `xdstp://${host}/envoy.config.listener.v3.Listener/%s`;
  return { ok: true, authority, listener: fill(listener, authority) };
}

/** Of a listener that was found by its name: its last part, for an `xdstp:` name. */
export function authorityOfListener(listener: string): string {
  const [, id] = /^xdstp:\/\/[^/]*\/[^/]+\/([^?#]*)/.exec(listener) ?? [];
  return id === undefined ? listener : decode(id);
}

function fill(template: string, name: string): string {
  const part = template.startsWith('xdstp:') ? encodePath(name) : name;
  return template.replaceAll('%s', () => part);
}

function encodePath(text: string): string {
  return text
    .split('/')
    .map((part) => encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '\ufffd')))
    .join('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuse(target: string, message: string): ParsedTarget {
  return { ok: false, message: `target ${JSON.stringify(target)}: ${message}` };
}
