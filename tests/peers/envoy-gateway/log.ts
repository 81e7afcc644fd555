import { readFileSync } from 'node:fs';
import { CDS, LDS } from '@/lib/xds/resource-type';
import type { ServerEvent } from '../control-plane';

const request =
  /handling v3 xDS resource request, response_nonce (\d*), nodeID \S+, node_version \S*, resource_names_subscribe \[([^\]]*)\], resource_names_unsubscribe \[([^\]]*)\], type_url (\S+), errorCode (\d+), errorMessage (.*)$/s;
const response =
  /sending delta response for typeURL (\S+) with resources: \[([^\]]*)\] removed resources: \[([^\]]*)\]/;

/**
 * Reads the events of Envoy Gateway's one stream of delta ADS from its log, as of a control plane that counts its
 * responses.
 */
export function readGatewayLog(file: string): ServerEvent[] {
  const entries = readFileSync(file, 'utf8').split(/\n(?=\d{4}-\d\d-\d\dT)/);
  const events: ServerEvent[] = [];
  const existing = new Map<string, Set<string>>();
  const subscribed = new Map<string, Set<string>>();
  /** The type of each response, in the order of nonces. */
  let responses = 0;
  for (const entry of entries) {
    const atMs = Date.parse(entry.slice(0, entry.indexOf('\t')));
    if (entry.includes('First incremental discovery request')) {
      for (const each of [existing, subscribed]) each.clear();
      responses = 0;
    }
    const [, sentType = '', sent = '', removed = ''] = response.exec(entry) ?? [];
    if (sentType !== '') {
      responses += 1;
      events.push({
        ...{ atMs, kind: 'response', typeUrl: sentType, version: String(responses), text: '' },
        names: change(existing, sentType, sent, removed),
        payloads: Object.fromEntries(listOf(sent).map((name) => [name, `response ${responses}`])),
        removed: listOf(removed),
      });
    }
    const [, nonce = '', added = '', dropped = '', typeUrl = '', code = '', text = ''] =
      request.exec(entry) ?? [];
    if (typeUrl === '') continue;
    const requested = change(subscribed, typeUrl, added, dropped);
    const isWildcard = typeUrl === CDS.typeUrl || typeUrl === LDS.typeUrl;
    events.push({
      ...{ atMs, typeUrl, names: isWildcard ? [] : requested, payloads: {} },
      kind: nonce === '' ? 'subscription' : code === '0' ? 'ack' : 'nack',
      ...{ version: nonce, text: text.trimEnd() },
    });
  }
  return events;
}

/** True if Envoy has answered the newest response of every type. */
export function isAnswered(events: readonly ServerEvent[]): boolean {
  const newest = new Map(
    events.flatMap(({ kind, typeUrl, version }) => (kind === 'response' ? [[typeUrl, version]] : [])),
  );
  return [...newest].every(([typeUrl, version]) =>
    events.some(
      (event) =>
        event.typeUrl === typeUrl &&
        event.version === version &&
        (event.kind === 'ack' || event.kind === 'nack'),
    ),
  );
}

function change(all: Map<string, Set<string>>, typeUrl: string, added: string, removed: string): string[] {
  const names = all.get(typeUrl) ?? new Set();
  all.set(typeUrl, names);
  for (const name of listOf(added)) names.add(name);
  for (const name of listOf(removed)) names.delete(name);
  return [...names];
}

function listOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
