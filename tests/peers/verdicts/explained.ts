import type { Finding } from '@/lib/validate/validate-resource';
import type { Answered } from './answering-server';

/** A difference that was reviewed. */
interface Explained {
  readonly peers: RegExp;
  readonly titles: RegExp;
  readonly answer: Answered['answer'];
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
  {
    peers: /^grpc-go 1\.8[2-5]/,
    titles: /^socket listener: prefixes with and without a zone$/,
    answer: 'NACK',
    reason: 'Since 1.82, grpc-go leaves out zones when it compares matches.',
  },
];

/** Why an answer that differs from the verdict does not disprove it. Undefined: it does. */
export function findExplained(
  peer: string,
  title: string,
  { found, findings }: { readonly found: Answered; readonly findings: readonly Finding[] },
): string | undefined {
  const known = list.find(
    ({ peers, titles, answer }) => peers.test(peer) && titles.test(title) && answer === found.answer,
  );
  return known?.reason ?? findings.find(({ dependsOn }) => dependsOn !== undefined)?.dependsOn;
}
