import { type Reaction, reactionOrder, severer, verdictOfReaction } from '@/lib/validate/reactions';
import type { Finding } from '@/lib/validate/validate-resource';
import type { Profile } from '@/lib/xds/profile';
import { type Answer, type Answered, answerOf } from './answer';

/** A difference that was reviewed. */
interface Explained {
  readonly peers: RegExp;
  readonly titles: RegExp;
  readonly answer: Answer;
  readonly reason: string;
}

const list: readonly Explained[] = [
  {
    peers: /^(?:grpc-java|grpc-js-xds) /,
    titles:
      /(?:: name: (?:one character short|another text|missing)|: no bytes|: xdstp name without service name)$/,
    answer: 'ACK',
    reason: 'The client validates only resources to which it has subscribed, and this one has another name.',
  },
  {
    peers: /^envoy /,
    titles: /^route configuration that validates clusters: name: (?:missing|another text)$/,
    answer: 'ACK',
    reason:
      'Envoy looks up clusters only for configurations to which it has subscribed, and this one has another name.',
  },
];

/** The texts that the error of a NACK contains if the assumption of the finding does not hold, by the id of its rule. */
const errors: ReadonlyMap<string, RegExp> = new Map([
  ['L13', /path/i],
  ['ENVOY-files', /path|file/i],
  ['ENVOY-vhds', /vhds/i],
  ['E5', /resolver|address|interface|scope/i],
  ['S5', /no such interface|no scope_id/i],
  ['ENVOY-regex', /program size/],
]);

/** Returns the reason why an answer that differs from the verdict does not disprove it. Undefined: it does. */
export function findExplained(
  peer: string,
  title: string,
  profile: Profile,
  { found, findings }: { readonly found: Answered; readonly findings: readonly Finding[] },
): string | undefined {
  const known = list.find(
    ({ peers, titles, answer }) => peers.test(peer) && titles.test(title) && answer === found.answer,
  );
  return known?.reason ?? findDependence(profile, found, findings);
}

/** The assumptions of findings without which all findings together have the answer. */
function findDependence(
  profile: Profile,
  { answer, text }: Answered,
  findings: readonly Finding[],
): string | undefined {
  for (const reaction of reactionOrder) {
    if (answerOf(verdictOfReaction(reaction)) !== answer) continue;
    const isWithin = (other: Reaction): boolean => severer(reaction, other) === reaction;
    const without = findings.filter(({ reactions }) => !isWithin(reactions[profile]));
    if (!without.every(({ otherwise }) => otherwise !== undefined && isWithin(otherwise[profile]))) continue;
    const rest = findings.filter((finding) => !without.includes(finding));
    const isCaused = reaction === 'accept' || rest.some(({ reactions }) => reactions[profile] === reaction);
    const cause = rest.find(({ ruleId, otherwise }) => {
      return (
        otherwise?.[profile] === reaction && (answer !== 'NACK' || errors.get(ruleId)?.test(text) === true)
      );
    });
    const used = [...without, ...(isCaused || cause === undefined ? [] : [cause])];
    if (used.length > 0 && (isCaused || cause !== undefined))
      return used.map(({ fieldPath, dependsOn }) => `${fieldPath}: ${dependsOn}`).join(' ');
  }
  return undefined;
}
