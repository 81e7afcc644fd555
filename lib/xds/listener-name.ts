import { decodePercent } from './decode-percent';
import { encodeAuthority, encodePath } from './resource-name';
import { LDS, messageNameOf } from './resource-type';

/** Templates for listener names from a bootstrap. Each contains `%s` in place of the name. */
export interface ListenerNameTemplates {
  /** client_default_listener_resource_name_template. */
  readonly clientDefault: string;
  /** Keys are authorities. */
  readonly authorities: ReadonlyMap<string, { readonly clientListenerResourceNameTemplate: string }>;
}

type ListenerOfTarget =
  | {
      readonly ok: true;
      readonly listener: string;
      /** The host that virtual hosts are matched with: the target's path, not the resource name (gRFC A47). */
      readonly dataPlaneAuthority: string;
    }
  | { readonly ok: false; readonly message: string };

/** The default of client_default_listener_resource_name_template. */
export const defaultClientTemplate = '%s';

export const noTemplates: ListenerNameTemplates = {
  clientDefault: defaultClientTemplate,
  authorities: new Map(),
};

/** The default of an authority's client_listener_resource_name_template. */
export function defaultAuthorityTemplate(authority: string): string {
  return `xdstp://${encodeAuthority(authority)}/${messageNameOf(LDS.typeUrl)}/%s`;
}

/**
 * The listener that a gRPC client subscribes to for the target `xds:///NAME`, `xds://AUTHORITY/NAME` or plain NAME.
 * An authority that the bootstrap lacks is an error of the channel (gRFC A47).
 */
export function findListenerOfTarget(target: string, templates: ListenerNameTemplates): ListenerOfTarget {
  const quoted = JSON.stringify(target);
  const expected = 'xds:///NAME, xds://AUTHORITY/NAME or NAME';
  const [, authority = '', path] = /^xds:(?:\/\/([^/?#]*)\/|\/?(?!\/))([^?#]*)$/is.exec(target) ?? [];
  const isPlain = !/^[a-z][a-z0-9+.-]*:/i.test(target) || /^[^/]*:\d+$/.test(target);
  const isXds = !isPlain && path !== undefined;
  if (!isPlain && !isXds) return { ok: false, message: `expected ${expected}, got ${quoted}` };
  const name = isXds ? decodePercent(path) : target;
  const authorityName = isXds ? decodePercent(authority) : '';
  if (name === undefined || authorityName === undefined) {
    return {
      ok: false,
      message: `expected two hexadecimal digits after each "%", which make UTF-8, got ${quoted}`,
    };
  }
  if (name === '') return { ok: false, message: `expected ${expected}, got ${quoted}` };
  if (authorityName === '') {
    return { ok: true, listener: fill(templates.clientDefault, name), dataPlaneAuthority: name };
  }
  const found = templates.authorities.get(authorityName);
  if (found === undefined) {
    const known = [...templates.authorities.keys()].map((each) => JSON.stringify(each)).join(', ');
    return {
      ok: false,
      message:
        `expected an authority that the bootstrap has (${known === '' ? 'it has none' : known}), ` +
        `got ${JSON.stringify(authorityName)} in ${quoted}`,
    };
  }
  const listener = fill(found.clientListenerResourceNameTemplate, name);
  return { ok: true, listener, dataPlaneAuthority: name };
}

/**
 * The listener that a gRPC server subscribes to (gRFC A36). `address` is its listening address, such as
 * "0.0.0.0:8080".
 */
export function serverListenerName(template: string, address: string): string {
  return fill(template, address);
}

/** gRFC A47: the name is percent-encoded if the template makes an `xdstp:` name. */
function fill(template: string, name: string): string {
  const text = template.startsWith('xdstp:') ? encodePath(name) : name;
  return template.replaceAll('%s', () => text);
}
