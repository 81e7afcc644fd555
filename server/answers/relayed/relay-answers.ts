import type { CommandKey, InputOf } from '@/lib/views/commands';
import type { HeldClients } from '../../live/held-clients';
import type { LoadReader } from '../../live/load/load-reader';
import type { Ask, AskContext, QuestionPath } from '../ask';
import type { AskClient } from '../ask-client';
import type { RunCommand } from '../run-command';
import type { ClientRef } from '../subjects/client-subjects';
import { type RelayedQuestion, relayCommand } from './relayed-question';

export interface Relay {
  /** Asks the process that folds the fleet. Throws ApiError, with 503 if there is none. */
  ask(question: RelayedQuestion, signal?: AbortSignal): Promise<unknown>;
  /** The reason why no process answers; empty if one does. */
  readonly problem: string;
}

interface RelayParts {
  readonly relay: Relay;
  readonly held: Pick<HeldClients, 'isWhole' | 'open'>;
}

/** Every process answers these about itself, from the store, or from clients that it opens. */
const ownQuestions: ReadonlySet<string> = new Set<QuestionPath>([
  ...([
    'health',
    'openapi.json',
    'stream',
    'sources',
    'sources/{id}',
    'credentials',
    'twin-clients',
  ] as const),
  ...([
    'imports',
    'imports/{id}/problems',
    'descriptor-sets',
    'pins',
    'replays',
    'lab',
    'lab/resources',
  ] as const),
  ...([
    'interop/server-checks',
    'interop/server-checks/{id}',
    'interop/server-check-permalinks/{id}',
  ] as const),
  ...(['fleet', 'clients/{id}', 'permalinks/{id}', 'resources/{hash}'] as const),
]);
/** The other clients are those of probes of the same resource. */
const fleetQuestionsOfClient: ReadonlySet<string> = new Set(['propagation']);
const ownCommands: ReadonlySet<string> = new Set<CommandKey>([
  'POST validate',
  ...(['POST interop/server-checks', 'DELETE interop/server-checks/{id}'] as const),
  'POST interop/server-checks/{id}/share',
]);

/** Answers as `ask` does or, without the fleet, as the process that folds it. */
export function relayQuestions(ask: Ask, { relay, held }: RelayParts): Ask {
  const relayed = async (path: string, query: object, context: AskContext): Promise<unknown> => {
    const { params, signal, headers } = context;
    const isOwn = held.isWhole || ownQuestions.has(path);
    if (isOwn) await openNamed(held, path, query, params);
    if (isOwn || held.isWhole) return ask(path as QuestionPath, query as never, context as never);
    const accept = headers?.get('accept') ?? undefined;
    return relay.ask({ kind: 'question', path, query, params: { ...(params as object) }, accept }, signal);
  };
  return relayed as Ask;
}

/** Opens the client of a path, and those that a page listens to. */
async function openNamed(
  held: RelayParts['held'],
  path: string,
  query: object,
  params: unknown,
): Promise<void> {
  if (path === 'clients/{id}') await held.open(Reflect.get(Object(params), 'id'));
  if (path !== 'stream') return;
  const topics = [Reflect.get(query, 'topics') ?? []].flat().flatMap((each) => String(each).split(','));
  for (const topic of topics) if (topic.startsWith('client:')) await held.open(topic.slice('client:'.length));
}

export function relayClientQuestions(askClient: AskClient, { relay, held }: RelayParts): AskClient {
  const relayed = async (
    name: string,
    ref: ClientRef,
    query: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    if (!held.isWhole && fleetQuestionsOfClient.has(name))
      return relay.ask({ kind: 'client', name, ref: { ...ref }, query }, signal);
    if ('clientId' in ref) await held.open(ref.clientId);
    return askClient(name as never, ref, query as never, signal);
  };
  return relayed as AskClient;
}

export function relayCommands(run: RunCommand, { relay, held }: RelayParts): RunCommand {
  const relayed = (key: CommandKey, input: InputOf<CommandKey>, signal?: AbortSignal): Promise<unknown> =>
    held.isWhole || ownCommands.has(key)
      ? run(key, input, signal)
      : relay.ask(relayCommand(key, input), signal);
  return relayed as RunCommand;
}

/** Load over time of all clients is read where all load reports were recorded. */
export function relayLoad(
  loads: Pick<LoadReader, 'read'>,
  { relay, held }: RelayParts,
): Pick<LoadReader, 'read'> {
  return {
    read: (question, signal) =>
      held.isWhole
        ? loads.read(question, signal)
        : (relay.ask({ kind: 'load', question: { ...question } }, signal) as ReturnType<typeof loads.read>),
  };
}
