import { sha256 } from '@/server/codec/sha256';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { everyNode, type Resource } from '@/server/lab/management-server/snapshot-store';
import type { RequestEvent } from '@/server/lab/management-server/stream-logic';
import { systemClock } from '@/server/observe';
import { freePort } from '../support/free-port';

/** An event on the streams of a control plane. */
export interface ServerEvent {
  readonly atMs: number;
  readonly kind: 'response' | 'ack' | 'nack' | 'subscription' | 'end';
  readonly typeUrl: string;
  /** The version of the response that was sent or answered; empty in a subscription. */
  readonly version: string;
  /** Response: the resources in it. Otherwise the names that the client requests; empty: all. */
  readonly names: readonly string[];
  /** Response: by name, the SHA-256 of the payload; of a server that encodes it again, another text for each. */
  readonly payloads: Readonly<Record<string, string>>;
  /** Delta: the resources that a response removes, or that do not exist. */
  readonly removed?: readonly string[];
  /** Delta, of a server that gives each resource a version of its own: by name. */
  readonly versions?: Readonly<Record<string, string>>;
  /** The text of a NACK. */
  readonly text: string;
}

/** A management server that a story scripts. */
export interface ControlPlane {
  /** host:port. */
  readonly target: string;
  /** Serves exactly these resources of the type under this version, even if their bytes are unchanged. */
  push(typeUrl: string, resources: readonly Resource[], version: string): Promise<void>;
  /** Ends streams and connections, and does not listen until start(). */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Oldest first. */
  events(): Promise<readonly ServerEvent[]>;
  close(): Promise<void>;
}

interface Push {
  readonly typeUrl: string;
  readonly resources: readonly Resource[];
  readonly version: string;
  /** Number of nonces of this server before the push: later ones belong to this version of the type or a newer one. */
  readonly nonces: number;
}

/** The management server of the lab: it sends any bytes, and never a resource without a push or a subscription. */
export async function startScriptedServer(): Promise<ControlPlane> {
  const log: ServerEvent[] = [];
  /** Delta: the requested names by type, of the one stream. */
  const subscribed = new Map<string, Set<string>>();
  let pushes: Push[] = [];
  let run = 0;
  let server = open();
  const target = await server.listen(await freePort());

  function open(): ManagementServer {
    run += 1;
    const opened = new ManagementServer({ clock: systemClock, noncePrefix: `${run}-` });
    opened.onRequest((request) => {
      const { typeUrl, reading, responseNonce, resourceNames, errorDetail } = request;
      if (reading === 'debug') return;
      const nonce = Number(responseNonce.split('-')[1] ?? 0);
      const answered = pushes.findLast((push) => push.typeUrl === typeUrl && push.nonces < nonce);
      log.push({
        atMs: Date.now(),
        // A request with an old nonce can carry a NACK of the response before the newest.
        kind: errorDetail !== null ? 'nack' : reading === 'stale' ? 'subscription' : reading,
        typeUrl,
        version: answered?.version ?? '',
        names: request.method === 'delta' ? subscribe(request) : resourceNames,
        payloads: {},
        text: errorDetail ?? '',
      });
    });
    opened.onStreamEnd(() => {
      subscribed.clear();
      log.push({
        atMs: Date.now(),
        kind: 'end',
        typeUrl: '',
        version: '',
        names: [],
        payloads: {},
        text: '',
      });
    });
    return opened;
  }

  /** A name without a resource is answered as removed. */
  function subscribe({ typeUrl, resourceNames, unsubscribed }: RequestEvent): string[] {
    const names = subscribed.get(typeUrl) ?? new Set();
    subscribed.set(typeUrl, names);
    const added = resourceNames.filter((name) => name !== '*');
    for (const name of added) names.add(name);
    for (const name of unsubscribed) names.delete(name);
    const served = server.listResources().filter((each) => each.typeUrl === typeUrl);
    const removed = added.filter((name) => served.every((each) => each.name !== name));
    if (removed.length > 0) {
      const version = pushes.findLast((push) => push.typeUrl === typeUrl)?.version ?? '';
      log.push({
        ...{ atMs: Date.now(), kind: 'response', typeUrl, version },
        ...{ names: [], payloads: {}, removed, text: '' },
      });
    }
    return [...names];
  }

  function serve({ typeUrl, resources, version }: Omit<Push, 'nonces'>): void {
    const kept = new Set(resources.map(({ name }) => name));
    const served = server.listResources().filter((each) => each.typeUrl === typeUrl);
    const removed = served.map(({ name }) => name).filter((name) => !kept.has(name));
    pushes.push({ typeUrl, resources, version, nonces: server.nonceCount });
    const payloads = Object.fromEntries(resources.map(({ name, bytes }) => [name, sha256(bytes)]));
    log.push({
      ...{ atMs: Date.now(), kind: 'response', typeUrl, version },
      ...{ names: [...kept], payloads, removed, text: '' },
    });
    server.update(everyNode, typeUrl, { set: resources, removed }, version);
  }

  return {
    target,
    push: async (typeUrl, resources, version) => serve({ typeUrl, resources, version }),
    stop: () => server.close(),
    async start() {
      server = open();
      const newest = new Map(pushes.map((push) => [push.typeUrl, push]));
      pushes = [];
      for (const push of newest.values()) serve(push);
      await server.listen(Number(target.split(':')[1]));
    },
    events: async () => log,
    close: () => server.close(),
  };
}
