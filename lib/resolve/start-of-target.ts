import { decodePercent } from '../xds/decode-percent';
import {
  defaultAuthorityTemplate,
  findListenerOfTarget,
  type ListenerNameTemplates,
  noTemplates,
} from '../xds/listener-name';
import { parseResourceName } from '../xds/resource-name';

type StartOfTarget =
  | { readonly ok: true; readonly listener: string; readonly authority: string }
  | { readonly ok: false; readonly message: string };

/**
 * The listener at which a client that dials `target` starts. The bootstrap of an observed client is not reported; by
 * default its templates are those of gRFC A47 for the authority of the target.
 */
export function findStartOfTarget(target: string, templates = assumedTemplates(target)): StartOfTarget {
  const found = findListenerOfTarget(asDialled(target), templates);
  if (!found.ok) return { ok: false, message: `target: ${found.message}` };
  return { ok: true, listener: found.listener, authority: found.dataPlaneAuthority };
}

/**
 * gRPC-Go reports its targets decoded, as in `xds:///a%b` for `xds:///a%25b`; C-core and Java report them as they were
 * dialled (measured with 1.85). A path that is not a percent-encoding is a decoded one.
 */
function asDialled(target: string): string {
  const [, start = '', path] = /^(xds:(?:\/\/[^/?#]*\/|\/?(?!\/)))(.*)$/is.exec(target) ?? [];
  return path === undefined || decodePercent(path) !== undefined
    ? target
    : `${start}${path.replaceAll('%', '%25')}`;
}

function assumedTemplates(target: string): ListenerNameTemplates {
  const [, text] = /^xds:\/\/([^/?#]+)\//i.exec(target) ?? [];
  const authority = text === undefined ? undefined : decodePercent(text);
  if (authority === undefined) return noTemplates;
  const clientListenerResourceNameTemplate = defaultAuthorityTemplate(authority);
  return { ...noTemplates, authorities: new Map([[authority, { clientListenerResourceNameTemplate }]]) };
}

/** The authority of a channel to this listener: its name; for an `xdstp:` name the id. */
export function authorityOfListener(listener: string): string {
  const parsed = parseResourceName(listener);
  return parsed.ok && parsed.name.kind === 'xdstp' ? parsed.name.id : listener;
}
