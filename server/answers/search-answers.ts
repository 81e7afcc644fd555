import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { SearchQuestions } from '@/lib/views/questions';
import { buildHolders } from '@/lib/views/search/build-holders';
import type { LiveState } from '../live/live-state';
import type { FleetSearch } from '../live/search/fleet-search';
import type { Clock } from '../observe';
import { takeSteps } from '../workers/threads/take-steps';
import type { Answers } from './ask';

interface SearchAnswersParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly freshnessOf: FreshnessOf;
  readonly clock: Pick<Clock, 'now'>;
  readonly search: Pick<FleetSearch, 'find'>;
}

export function createSearchAnswers(parts: SearchAnswersParts): Pick<Answers, keyof SearchQuestions> {
  const { live, freshnessOf, clock, search } = parts;
  return {
    search: (query, { signal }) => search.find(query, signal),
    holders: ({ type, ...query }) =>
      takeSteps(
        buildHolders(
          { clients: live.world.values(), freshnessOf, now: clock.now() },
          { ...query, typeUrl: type },
        ),
      ),
  };
}
