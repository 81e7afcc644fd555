import type { FieldReader } from '../model/field-reader';
import { type ExplainRequest, type FindHeader, hostOf } from '../requests/request';
import type { TableHost } from '../resolve/resolve-routes';
import { selectVirtualHost } from '../resolve/select-virtual-host';
import { clientOf, type Profile } from '../xds/profile';

type HostChoice =
  | {
      readonly kind: 'found';
      readonly host: TableHost;
      readonly reason: string;
      /** The virtual host that would be used without this one. */
      readonly next?: { readonly host: TableHost; readonly reason: string };
    }
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'depends'; readonly reason: string };

interface ChosenBy {
  readonly hosts: readonly TableHost[];
  /** The route configuration. */
  readonly table: FieldReader;
  readonly request: ExplainRequest;
  readonly find: FindHeader;
  /** The authority of the channel, by which a gRPC client chooses once. */
  readonly authority?: string | undefined;
  readonly profile: Profile;
}

export function chooseHost({ hosts, table, request, find, authority, profile }: ChosenBy): HostChoice {
  const isEnvoy = clientOf(profile) === 'envoy';
  let name = authority ?? request.authority;
  let subject = `authority ${JSON.stringify(name)}`;
  if (isEnvoy) {
    const header = table.string('vhostHeader') || ':authority';
    const value = find(header);
    if (value.kind === 'depends') return { kind: 'depends', reason: value.reason };
    // Envoy does not read the name if there is only a virtual host for all domains.
    const isOnlyAny = hosts.every(({ host }) => host.domains.every((each) => each === '*'));
    if (value.kind === 'absent' && !isOnlyAny)
      return {
        kind: 'none',
        reason: `header ${header} chooses the virtual host, and the request does not have it`,
      };
    name = value.kind === 'value' ? value.first : '';
    if (header !== ':authority') subject = `header ${header} ${JSON.stringify(name)}`;
    if (table.boolean('ignorePortInHostMatching')) name = hostOf(name);
  }
  const choose = (among: readonly TableHost[]) =>
    selectVirtualHost(
      among.map(({ host }) => host),
      name,
      profile,
    );
  const choice = choose(hosts);
  if (choice.kind === 'none') return { kind: 'none', reason: choice.reason };
  const host = hosts[choice.index];
  if (host === undefined) return { kind: 'none', reason: 'the route configuration has no virtual host' };
  const others = hosts.filter((each) => each !== host);
  const second = choose(others);
  const next = second.kind === 'found' ? others[second.index] : undefined;
  return {
    kind: 'found',
    host,
    reason: `domain ${JSON.stringify(choice.domain)} is the most specific that matches ${subject}`,
    ...(next !== undefined &&
      second.kind === 'found' && {
        next: {
          host: next,
          reason: `domain ${JSON.stringify(second.domain)} matches less specifically than ${JSON.stringify(choice.domain)}`,
        },
      }),
  };
}
