import type { ConvergenceFact } from './convergence-fact';
import type { FoundTarget } from './convergence-question';
import type { ConvergenceTarget } from './convergence-target';
import type { FactIndex } from './fact-index';

/** `redundant`: no client received other content than it had. `revert`: all that changed is as it was before. */
export const pushKinds = ['changed', 'redundant', 'revert'] as const;
type PushKind = (typeof pushKinds)[number];

interface PushChange {
  readonly name: string;
  readonly hash: string;
  /** The content that the same client had before; null if that is not known. */
  readonly before: { readonly hash: string; readonly version: string } | undefined;
}

export interface PushChanges {
  readonly kind: PushKind;
  /** The version of the earlier content of a revert; null otherwise. */
  readonly revertsTo: string | undefined;
  /** Resources that the push carried, as one of the clients received them. */
  readonly changes: readonly PushChange[];
  /** Resources that a client had before, and that the push deleted. */
  readonly removed: readonly string[];
}

/** Compares what clients were sent with what they had before. */
export function findPushChanges(index: FactIndex, { target, names, nameCount }: FoundTarget): PushChanges {
  const histories = new Map<string, History>();
  const removed = new Set<string>();
  for (const clientId of index.clientIds) {
    const facts = index.factsOf(clientId);
    if (facts.some(target.isIt)) addHistories(facts, target, { names: new Set(names), histories, removed });
  }
  const found = [...histories].map(([name, history]) => ({ name, ...history }));
  const listed = {
    changes: found.map(({ name, hash, earlier }) => ({ name, hash, before: earlier.at(-1) })),
    removed: [...removed],
  };
  const changed = found.filter(({ hash, earlier }) => earlier.at(-1)?.hash !== hash);
  const isComplete = found.length === nameCount && removed.size === 0;
  if (isComplete && changed.length === 0) return { ...listed, kind: 'redundant', revertsTo: undefined };
  const originals = changed.map(({ hash, earlier }) => earlier.findLast((content) => content.hash === hash));
  const [first] = originals;
  const isRevert = isComplete && originals.every((content) => content !== undefined);
  if (isRevert && first !== undefined) return { ...listed, kind: 'revert', revertsTo: first.version };
  return { ...listed, kind: 'changed', revertsTo: undefined };
}

interface Content {
  readonly hash: string;
  readonly version: string;
}

interface History {
  readonly hash: string;
  /** The contents that the client had before, oldest first. */
  readonly earlier: readonly Content[];
}

interface FoundHistories {
  readonly names: ReadonlySet<string>;
  readonly histories: Map<string, History>;
  readonly removed: Set<string>;
}

/** Adds what one client received, unless more is known of another client. */
function addHistories(
  facts: readonly ConvergenceFact[],
  { isIt, version: ownVersion }: ConvergenceTarget,
  { names, histories, removed }: FoundHistories,
): void {
  const contents = new Map<string, Content[]>();
  const received = new Set<string>();
  const nonces = new Set<string>();
  for (const fact of facts) {
    const { what, name, hash, version, nonceKey } = fact;
    if (what === 'sent' && nonceKey !== null && isIt(fact)) nonces.add(nonceKey);
    if (name === null) continue;
    const earlier = contents.get(name) ?? [];
    if (what === 'dropped' || what === 'missing') {
      if (earlier.length > 0 && nonceKey !== null && nonces.has(nonceKey)) removed.add(name);
      continue;
    }
    if (hash === null || received.has(name)) continue;
    if (names.has(name) && isIt(fact) && reported.has(what)) {
      received.add(name);
      const known = histories.get(name);
      if (known === undefined || knowledge({ hash, earlier }) > knowledge(known))
        histories.set(name, { hash, earlier });
    } else if (what === 'accepted' && version !== ownVersion && earlier.at(-1)?.hash !== hash) {
      // A rejected content was never what the client had, and a row of the push may be reported before the response.
      earlier.push({ hash, version });
      contents.set(name, earlier);
    }
  }
}

/** A push is redundant if no client received other content than it had, so a client that did counts most. */
function knowledge({ hash, earlier }: History): number {
  const before = earlier.at(-1);
  if (before === undefined) return 0;
  return before.hash === hash ? 1 : 2;
}

const reported: ReadonlySet<ConvergenceFact['what']> = new Set(['sent', 'accepted', 'rejected']);
