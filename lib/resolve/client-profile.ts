import type { ProbeProfile } from '../xds/probe-choices';
import { guessProfile } from './guess-profile';
import type { ResolveProfile } from './resolve-profile';

export interface ProfiledClient {
  readonly node: { readonly userAgentName: string };
  /** Of our own probe that answers as a client would: whose. */
  readonly asClient?: ProbeProfile | undefined;
}

/** Whose rules a question about a client is answered by, when it names none: what is known goes before what is guessed. */
export function profileOfClient({ node, asClient }: ProfiledClient): ResolveProfile {
  return asClient ?? guessProfile(node.userAgentName);
}
