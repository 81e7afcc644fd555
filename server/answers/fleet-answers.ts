import type { FleetQuestions } from '@/lib/views/questions';
import { CohortsApi } from '../live/fleet/cohorts-api';
import { FeatureUses, type FeatureUsesParts } from '../live/fleet/feature-uses';
import { FleetApi, type FleetApiParts } from '../live/fleet/fleet-api';
import type { FleetIndex } from '../live/fleet/fleet-index';
import { IdentityApi, type IdentityApiParts } from '../live/fleet/identity-api';
import { VariantsApi, type VariantsApiParts } from '../live/propagation/variants-api';
import type { SizeHistory } from '../live/sizes/size-history';
import { SizesApi, type SizesApiParts } from '../live/sizes/sizes-api';
import { takeSteps } from '../workers/threads/take-steps';
import type { Answers } from './ask';
import type { FleetExplainer } from './explain-fleet/fleet-explainer';
import type { SharedExplanations } from './explain-fleet/shared-explanations';
import { missingSubject } from './simulate-failover';
import type { ClientSubjects } from './subjects/client-subjects';

type FleetAnswersParts = FleetApiParts &
  IdentityApiParts &
  VariantsApiParts &
  FeatureUsesParts &
  Omit<SizesApiParts, 'history'> & {
    readonly fleet: FleetIndex;
    readonly sizeHistory: SizeHistory;
    readonly subjects: ClientSubjects;
    readonly fleetExplainer: Pick<FleetExplainer, 'find'>;
    readonly sharedExplanations: SharedExplanations;
  };

export function createFleetAnswers(parts: FleetAnswersParts): Pick<Answers, keyof FleetQuestions> {
  const { subjects, fleetExplainer } = parts;
  const fleet = new FleetApi(parts);
  const cohorts = new CohortsApi(parts.fleet, parts.clock);
  const sizes = new SizesApi({ ...parts, history: parts.sizeHistory });
  const identity = new IdentityApi(parts);
  const variants = new VariantsApi(parts);
  const uses = new FeatureUses(parts);
  return {
    async clients({ offset, limit }) {
      const { members } = await parts.fleet.find();
      const items = await takeSteps(fleet.summarise(members.slice(offset, offset + limit)));
      return { items, offset, total: members.length };
    },
    async 'clients/{id}'({ at }, { params: { id }, signal }) {
      const found = at === undefined ? undefined : await subjects.find(id, at, { signal });
      const client = at === undefined ? subjects.findNow(id) : found?.client;
      if (client === undefined) throw missingSubject({ clientId: id });
      return client;
    },
    fleet: (query) => fleet.find(query),
    cohorts: (query) => cohorts.find(query),
    sizes: (query, { signal }) => sizes.find(query, signal),
    identity: (query) => identity.find(query),
    divergences: (query) => variants.list(query),
    explain: (query) => fleetExplainer.find(query),
    'explain-permalinks/{id}': (_query, { params: { id } }) => parts.sharedExplanations.find(id),
    'interop/fleet': (_query, { signal }) => uses.find(signal),
  };
}
