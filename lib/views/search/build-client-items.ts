import { formatExactTime } from '../../format/exact-time';
import { formatIsoTime } from '../../format/iso-time';
import type { TimeContext } from '../../time/time-expression';
import { clientViews } from '../client/client-views';
import { clientAddress, formatDiffAddress } from '../compare/diff-address';
import type { ClientPhrase } from './client-phrase';
import type { PaletteItem } from './palette-item';
import type { SearchAnswer } from './schema';

type FoundClients = SearchAnswer['clients']['items'];

const most = 3;
const agoMinutes = [10, 60];

/** The tab, the moment or the comparison that a typed text asks for, of the clients that its words find. */
export function buildClientItems(
  phrase: ClientPhrase,
  clients: FoundClients,
  others: FoundClients,
  context: TimeContext,
): PaletteItem[] {
  return clients.slice(0, most).flatMap((client) => {
    if (phrase.kind === 'view') return [viewItem(phrase, client, context)];
    if (phrase.kind === 'explain') return [explainItem(phrase.request, client)];
    return compareItems(phrase, client, others, context);
  });
}

const longestRequest = 60;

/** Where the client sends the request. */
function explainItem(
  request: string,
  client: Pick<FoundClients[number], 'id' | 'nodeId' | 'scope'>,
): PaletteItem {
  const shown = request.length > longestRequest ? `${request.slice(0, longestRequest)}…` : request;
  return item({
    title: `Explain ${shown} at ${client.nodeId}`,
    label: client.scope,
    detail: '',
    href: `/clients/${encodeURIComponent(client.id)}/explain?${new URLSearchParams({ request })}`,
  });
}

function viewItem(
  { view, at }: Extract<ClientPhrase, { kind: 'view' }>,
  { id, nodeId, scope }: FoundClients[number],
  { timeZone }: TimeContext,
): PaletteItem {
  const query = at === null ? '' : `?${new URLSearchParams({ at: formatIsoTime(at) })}`;
  return item({
    title: view === null ? `Show ${nodeId}` : `Show ${clientViews[view].label} of ${nodeId}`,
    label: scope,
    detail: at === null ? '' : formatExactTime(at, timeZone),
    href: `/clients/${encodeURIComponent(id)}${view === null ? '' : `/${view}`}${query}`,
  });
}

function compareItems(
  { other, at }: Extract<ClientPhrase, { kind: 'compare' }>,
  client: FoundClients[number],
  others: FoundClients,
  { now, timeZone }: TimeContext,
): PaletteItem[] {
  const { id, nodeId, scope } = client;
  const present = formatDiffAddress(clientAddress(id));
  const compare = (title: string, detail: string, left: string, right: string): PaletteItem =>
    item({ title, label: scope, detail, href: `/compare?${new URLSearchParams({ left, right })}` });
  if (other !== '') {
    return others
      .filter((each) => each.id !== id)
      .slice(0, most)
      .map((each) =>
        compare(
          `Compare ${nodeId} with ${each.nodeId}`,
          each.scope,
          present,
          formatDiffAddress(clientAddress(each.id)),
        ),
      );
  }
  const moments = at === null ? agoMinutes.map((minutes) => now - minutes * 60_000) : [at];
  return moments.map((moment) => {
    const then = formatDiffAddress(clientAddress(id, formatIsoTime(moment)));
    return compare(
      `Compare ${nodeId} with an earlier time`,
      formatExactTime(moment, timeZone),
      then,
      present,
    );
  });
}

function item({
  href,
  ...texts
}: Pick<PaletteItem, 'title' | 'label' | 'detail'> & { readonly href: string }): PaletteItem {
  return { id: `of client ${href}`, group: 'actions', ...texts, target: { href } };
}
