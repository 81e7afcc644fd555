import type { Security, Source } from '@/lib/api/schema';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import { sourceKindFacts } from '@/lib/view-model/sources/source-kind-facts';
import { formatResourceType } from '@/lib/xds/resource-type';
import { errorModelChoices, labelOf, profileChoices, transportChoices } from './source-choices';

const securities: Readonly<Record<Security, string>> = { plain: '', tls: 'TLS', mtls: 'mTLS' };

export function summariseSource({ kind, security, settings }: Source): string[] {
  const { summary } = sourceKindFacts(kind);
  const secured = securities[security];
  if (settings === null) return [summary, secured].filter((word) => word !== '');
  const { transport, apiVersion, mode, profile, errorModel } = settings;
  return [
    transport === 'ads'
      ? summary
      : `probe, ${transport === 'file' ? 'files' : amidText(labelOf(transportChoices, transport))}`,
    apiVersion === 'v2' ? 'API v2' : '',
    mode === 'observe' ? 'observes' : `as a ${labelOf(profileChoices, profile)} client`,
    errorModel === 'a88' ? labelOf(errorModelChoices, errorModel) : '',
    secured,
  ].filter((word) => word !== '');
}

export function summariseTap({ tap }: Source): string[] {
  if (tap === undefined) return [];
  const { listen, address, upstream, upstreamSecurity, connections, streams } = tap;
  const secured = securities[upstreamSecurity];
  const where = address === null ? `not listening on ${listen}` : `listens on ${address}`;
  const dropped = tap.droppedMessages;
  return [
    `${where}, relays to ${upstream}${secured === '' ? '' : ` over ${secured}`}`,
    [
      `${formatCounted(streams, 'stream')} open on ${formatCounted(connections, 'connection')}`,
      `${formatBytes(tap.bytesDown)} to clients, ${formatBytes(tap.bytesUp)} to the server`,
      dropped === 0 ? 'all messages recorded' : `${formatCounted(dropped, 'message')} not recorded`,
    ].join(' · '),
  ];
}

/** The servers of a source in their order of preference. */
export function summariseServers({ settings }: Source): string[] {
  if (settings === null) return [];
  const { servers, authorities, listeners, resources } = settings;
  const order = (targets: readonly string[]): string => targets.join(', then ');
  return [
    ...(servers.length > 1 ? [`servers: ${order(servers.map(({ target }) => target))}`] : []),
    ...authorities.map((each) => `authority "${each.name}": ${order(each.servers)}`),
    ...(listeners.length > 0 ? [`subscribes to ${shortList(listeners)}`] : []),
    ...Object.entries(resources).map(
      ([typeUrl, names]) => `subscribes to ${formatResourceType(typeUrl)} ${shortList(names)}`,
    ),
  ];
}

/** Lowers the article of "A stream for each type" within a line. */
function amidText(label: string): string {
  return label.replace(/^A (?=[a-z])/, 'a ');
}

const namesShown = 10;

function shortList(names: readonly string[]): string {
  const more = names.length - namesShown;
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
