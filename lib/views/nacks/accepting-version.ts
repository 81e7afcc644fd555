import { by, byDescending, inTurn } from '../../collections/compare';
import { isTrouble, type Verdict } from '../../validate/reactions';
import { type ValidatedResource, verdictOfValidated } from '../../validate/validate-resource';
import { clientNames, clientOf, measuredRange, nameOf, type Profile, profilesOf } from '../../xds/profile';

/**
 * States which measured version of the client, the nearest to its own, would accept a payload that it rejected; of two equally near
 * ones the newer. Returns undefined if the rules of its own version do not explain the rejection.
 */
export function describeAcceptingVersion(validated: ValidatedResource, own: Profile): string | undefined {
  const verdictOf = (profile: Profile): Verdict => verdictOfValidated(validated, profile);
  if (!isTrouble(verdictOf(own))) return undefined;
  const client = clientOf(own);
  const measured = profilesOf(client);
  const distance = (profile: Profile): number => Math.abs(measured.indexOf(profile) - measured.indexOf(own));
  const [nearest] = measured
    .filter((profile) => !isTrouble(verdictOf(profile)))
    .sort(
      inTurn(
        by(distance),
        byDescending((profile) => measured.indexOf(profile)),
      ),
    );
  if (nearest === undefined)
    return `No measured version of ${clientNames[client]} (${measuredRange(client)}) accepts this payload.`;
  const name = nameOf(nearest);
  switch (verdictOf(nearest)) {
    case 'ACK':
      return `The nearest measured version that would accept this payload is ${name}.`;
    case 'ACK_IGNORED':
      return `The nearest measured version that would ACK this payload is ${name}, which would not use it.`;
    default:
      return `The nearest measured version for which no fault is found is ${name}: not every part of this payload is checked for it.`;
  }
}
