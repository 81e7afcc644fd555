import { bodyInEffect, inEffect } from '@/lib/facts/effect';
import { profileOfClient } from '@/lib/resolve/client-profile';
import type { TwinBackend, TwinResource } from '@/lib/twin/twin';
import { chooseProgram } from '@/lib/views/prove/choose-program';
import type { ObservedOutcome, Proof, ProveRequest } from '@/lib/views/prove/schema';
import type { Codec } from '../../codec/codec';
import type { ObservedRequest } from '../../lab/twin/access-log';
import type { CallerView } from '../../lab/twin/send-request';
import type { TwinRunner } from '../../lab/twin/twin-runner';
import type { Recorder } from '../../store/recorder/recorder';
import { missingSubject } from '../simulate-failover';
import type { ClientRef, ClientSubject } from '../subjects/client-subjects';

const mostChanges = 2_000;
const mostLines = 100;
const mostRejected = 100;
/** The limit is that of the config as JSON. */
const mostConfigChars = 2_000_000;

interface ProveApiParts {
  readonly findSubject: (ref: ClientRef, signal?: AbortSignal) => Promise<ClientSubject | undefined>;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  readonly codec: Pick<Codec, 'decodeMany'>;
  readonly twins: Pick<TwinRunner, 'run' | 'clients'>;
}

/** Sends a request through a twin of a client, and states what the twin did with it. Nothing is stored. */
export class ProveApi {
  readonly #parts: ProveApiParts;

  constructor(parts: ProveApiParts) {
    this.#parts = parts;
  }

  async prove(
    clientId: string,
    { request, listener, at, times, config, deniedBy, program: wanted }: ProveRequest,
    signal?: AbortSignal,
  ): Promise<Proof> {
    const ref = { clientId, at };
    const subject = await this.#parts.findSubject(ref, signal);
    if (subject === undefined) throw missingSubject(ref);
    const { resources, unreported } = await this.#readResources(subject, signal);
    const program = wanted ?? chooseProgram(profileOfClient(subject.client), this.#parts.twins.clients);
    const { id, cluster, locality, metadata } = subject.client.node;
    const node = { id, cluster, metadata, locality: locality ?? { region: '', zone: '', subZone: '' } };
    const run = await this.#parts.twins.run(
      { node, resources, listener, request, times, deniedBy, program },
      signal,
    );
    const { twin, observed, callers, rejected, log, version } = run;
    const outcomes = countEqual(observed.map(outcomeOf));
    const [most] = outcomes;
    const { requests: _, ...outcome } = most ?? { requests: 0 };
    return {
      clientId,
      at: subject.at,
      ...(subject.moment && { moment: subject.moment }),
      program: { name: program, version },
      listener: { name: run.listener.name, address: run.listener.address },
      times,
      outcome: { listener: run.listener.name, ...outcome },
      outcomes,
      endpoints: countEqual(observed.flatMap(endpointOf)),
      responses: countEqual<CallerView>(callers),
      rejected: rejected.slice(0, mostRejected),
      unreported,
      services: [...twin.stubs],
      changes: twin.changes.slice(0, mostChanges),
      changesTotal: twin.changes.length,
      log: log.slice(0, mostLines),
      ...(config && configOf(twin.resources)),
    };
  }

  /** The resources in effect, with their contents. */
  async #readResources(
    { rows }: ClientSubject,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly resources: TwinResource[]; readonly unreported: number }> {
    const { recorder, codec } = this.#parts;
    const held = rows.flatMap((row) => {
      const hash = bodyInEffect(row);
      return hash === undefined ? [] : [{ typeUrl: row.typeUrl, name: row.name, hash }];
    });
    const bodies = await recorder.readBodies(
      held.map(({ hash }) => hash),
      signal,
    );
    const found = held.flatMap((each) => {
      const body = bodies.get(each.hash);
      return body === undefined ? [] : [{ ...each, body }];
    });
    const decoded = await codec.decodeMany(
      found.map(({ body }) => ({ typeUrl: body.typeUrl, bytes: body.bytes })),
      { signal },
    );
    const resources = found.map(({ typeUrl, name }, index) => ({
      typeUrl,
      name,
      json: decoded[index]?.json,
    }));
    const used = rows.filter((row) => inEffect(row).kind !== 'none');
    return { resources, unreported: used.length - resources.length };
  }
}

function outcomeOf({ backend: _, routeName, aggregates, ...observed }: ObservedRequest): ObservedOutcome {
  return {
    ...observed,
    ...(aggregates && { aggregates: [...aggregates] }),
    ...(routeName !== undefined && { route: routeName }),
  };
}

function endpointOf({ backend }: ObservedRequest): Omit<TwinBackend, 'port'>[] {
  if (backend === undefined) return [];
  const { port: _, ...endpoint } = backend;
  return [endpoint];
}

/** One of each, with its number, the most frequent first. */
function countEqual<T extends object>(items: readonly T[]): (T & { readonly requests: number })[] {
  const counts = new Map<string, { readonly item: T; requests: number }>();
  for (const item of items) {
    const key = JSON.stringify(item);
    const known = counts.get(key) ?? { item, requests: 0 };
    known.requests += 1;
    counts.set(key, known);
  }
  return [...counts.values()]
    .sort((a, b) => b.requests - a.requests)
    .map(({ item, requests }) => ({ ...item, requests }));
}

/** The keys are throw-away ones; a report without them raises no question. */
function configOf(resources: readonly TwinResource[]): Pick<Proof, 'config'> {
  const text = JSON.stringify(resources, (key, value: unknown) =>
    key === 'privateKey' ? { inlineString: '[throw-away key]' } : value,
  );
  return text.length > mostConfigChars ? {} : { config: JSON.parse(text) as NonNullable<Proof['config']> };
}
