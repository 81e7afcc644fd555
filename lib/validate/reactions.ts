import { before, clientOf, clients, grpcClients, mapProfiles, type Profile, type Who } from '../xds/profile';

/**
 * The reactions of a client, the severest first. NACK: it rejects the resource. no answer: its parser fails, and it
 * sends neither ACK nor NACK. crash: its process ends, or its channel fails for good, which can be later than its
 * ACK. not serving: it ACKs, and a server does not serve. ignore resource: it ACKs, and never uses the resource.
 * ignore: it drops the part or never uses it. accept: it uses the part as it is.
 */
export const reactionOrder = [
  'NACK',
  'no answer',
  'crash',
  'not serving',
  'ignore resource',
  'ignore',
  'accept',
] as const;

export type Reaction = (typeof reactionOrder)[number];

/** The severer of two reactions. A part that a client ignores is not one that it accepts. */
export function severer(a: Reaction, b: Reaction): Reaction {
  return reactionOrder.indexOf(a) <= reactionOrder.indexOf(b) ? a : b;
}

/**
 * The answer of a client to a resource that is alone in its response, and what follows from it, the severest first.
 * ACK: the rules are complete for every part of the resource. NO_FAULT_FOUND: no rule is violated, and the rules are not
 * complete for some part of it, or the answer depends on what is not known.
 */
export const verdicts = [
  'NACK',
  'NO_ANSWER',
  'CRASH',
  'ACK_NOT_SERVING',
  'ACK_IGNORED',
  'NO_FAULT_FOUND',
  'ACK',
] as const;

export type Verdict = (typeof verdicts)[number];

const verdictByReaction: Readonly<Record<Reaction, Verdict>> = {
  NACK: 'NACK',
  'no answer': 'NO_ANSWER',
  crash: 'CRASH',
  'not serving': 'ACK_NOT_SERVING',
  'ignore resource': 'ACK_IGNORED',
  ignore: 'ACK',
  accept: 'ACK',
};

/** The verdict of a resource whose rules are complete. */
export function verdictOfReaction(reaction: Reaction): Verdict {
  return verdictByReaction[reaction];
}

/** The resource has no use for the client, or ends it. */
export function isTrouble(verdict: Verdict): boolean {
  return !['ACK', 'ACK_IGNORED', 'NO_FAULT_FOUND'].includes(verdict);
}

export type Reactions = Readonly<Record<Profile, Reaction>>;

/** Every gRPC client rejects the part; Envoy supports the feature. */
export const grpcNack: Reactions = nackBy(...grpcClients);
export const everyNack: Reactions = nackBy(...clients);
export const noNacks: Reactions = nackBy();

export function nackBy(...who: readonly Who[]): Reactions {
  return reactionsOf('NACK', who);
}

export function ignoredBy(...who: readonly Who[]): Reactions {
  return reactionsOf('ignore', who);
}

/** Reactions without those of clients that do not read the part. */
export function withoutReactionsOf(reactions: Reactions, skippers: ReadonlySet<Profile>): Reactions {
  if (skippers.size === 0) return reactions;
  return mapProfiles((profile) => (skippers.has(profile) ? 'ignore' : reactions[profile]));
}

function reactionsOf(reaction: Reaction, who: readonly Who[]): Reactions {
  return mapProfiles((profile) =>
    who.includes(profile) || who.includes(clientOf(profile)) ? reaction : 'accept',
  );
}

/** The parser of grpc-java throws: a NACK since it catches the exception, before that no answer. */
export const javaThrows: Reactions = react({ NACK: ['java-1.85'], 'no answer': before('java-1.85') });

/** Several reactions, each of other clients. */
export function react(by: Partial<Readonly<Record<Reaction, readonly Who[]>>>): Reactions {
  return mapProfiles(
    (profile) =>
      reactionOrder.find(
        (each) => by[each]?.includes(profile) === true || by[each]?.includes(clientOf(profile)) === true,
      ) ?? 'accept',
  );
}
