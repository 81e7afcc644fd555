import { bodyInEffect, heldBody } from '@/lib/facts/effect';
import { findChildNumbers } from '@/lib/lb/find-child-numbers';
import { type Failovers, findFailovers } from '@/lib/lb/find-failovers';
import { findSplitEpochs, type SplitEpochs } from '@/lib/lb/find-split-epochs';
import type { ChildNumbers } from '@/lib/lb/grpc/child-numbers';
import { grpcProfileOf } from '@/lib/lb/grpc-profile';
import type { ModelOf } from '@/lib/model/model-of';
import type { ResourceModel } from '@/lib/model/parse-resource';
import type { ResourceState } from '@/lib/observation/resource-state';
import { defaultStart, findStarts, startsOfEnvoy } from '@/lib/resolve/find-starts';
import { findTears, type Tear, type TearStep } from '@/lib/resolve/find-tears';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { type HistoryRow, ValidatedHistory } from '@/lib/resolve/validated-history';
import type { Profile } from '@/lib/xds/profile';
import { buildRowContexts } from '../../compute/validate/row-contexts';
import { type BodyReadings, ValidatedBodies, type Validating } from '../rows/body-readings';
import { type Reading, readUntilWhole } from '../rows/reading';
import type { RowList } from '../rows/row-list';
import { chooseStart, questionOf } from './choose-start';
import type {
  FailoversQuestion,
  HistoryQuery,
  SplitEpochsQuestion,
  TearsQuestion,
} from './resolved-questions';

interface OpenedHistory {
  /** Absent if the history has no listener. */
  readonly start?: ResolveStart | undefined;
  readonly profile: Profile;
  readonly steps: () => Iterable<TearStep>;
}

export interface TearsFound {
  readonly start?: ResolveStart | undefined;
  readonly tears: readonly Tear[];
}

export interface ChildNumbersFound {
  /** The key is the cluster. */
  readonly numbers: ReadonlyMap<string, ChildNumbers>;
}

/** The history of a client, in the steps that a client of the profile makes. */
export class ResolvedHistory {
  readonly #readings: BodyReadings;

  readonly #bodies: ValidatedBodies;

  constructor(readings: BodyReadings) {
    this.#readings = readings;

    this.#bodies = new ValidatedBodies(readings);
  }

  /** Finds the config tears (gRFC A74) of a client of the profile. */
  *tears(list: RowList, query: TearsQuestion): Reading<TearsFound> {
    const { from, until } = query;
    const { start, profile, steps } = yield* this.#openHistory(list, query);
    if (start === undefined) return { start, tears: [] };
    const tears = findTears({ start, profile, steps: steps(), until });
    return { start, tears: tears.filter(({ toAt }) => (toAt ?? until) >= from) };
  }

  /** Finds which priority of a cluster received traffic when. */
  *failovers(list: RowList, query: FailoversQuestion): Reading<Failovers> {
    const { start, profile, steps } = yield* this.#openHistory(list, query);
    if (start === undefined) return { periods: [] };
    const { cluster, requests } = query;
    const grpcProfile = grpcProfileOf(query.profile);
    return findFailovers({ start, profile, grpcProfile, cluster, requests, steps });
  }

  /** Finds the periods with the same expected split of the requests to a cluster. */
  *splitEpochs(list: RowList, query: SplitEpochsQuestion): Reading<SplitEpochs> {
    const { start, profile, steps } = yield* this.#openHistory(list, query);
    if (start === undefined) return { epochs: [], notes: ['the client has no listener to begin with'] };
    const { cluster, rules, by } = query;
    const grpcProfile = grpcProfileOf(query.profile);
    return findSplitEpochs({ start, profile, grpcProfile, cluster, rules, by, steps: steps() });
  }

  /** Returns the numbers of the children of priority policies, which depend on the order in which they appeared. */
  *childNumbers(list: RowList, query: HistoryQuery): Reading<ChildNumbersFound> {
    const { start, profile, steps } = yield* this.#openHistory(list, query);
    if (start === undefined) return { numbers: new Map() };
    const grpcProfile = grpcProfileOf(query.profile);
    return { numbers: findChildNumbers({ start, profile, grpcProfile, steps: steps() }) };
  }

  *#openHistory(list: RowList, query: HistoryQuery): Reading<OpenedHistory> {
    yield* list.readAll(this.#readings);
    const { rows, modelOf } = list;
    const found = findStarts(rows, (row) => findModel(modelOf, row.typeUrl, heldBody(row)));
    const starts = query.isEnvoy === true ? startsOfEnvoy(found) : found;
    const start = chooseStart(query, defaultStart(starts));
    const { profile, trust, possible, certificateProviders = null } = questionOf(query, start, starts);
    // The rules do not get the clusters of each time.
    const contextOf = buildRowContexts(undefined, certificateProviders);
    const validating = yield* readUntilWhole((missing) => {
      const history = new ValidatedHistory(profile, trust);
      const validated = { profile, possible, contextOf, missing };
      for (const { changed, sourceId } of list.steps) {
        for (const state of changed) {
          const row = historyRow(state, sourceId);
          this.#bodies.readValidated(row, history.candidatesOf(row) ?? [], validated);
        }
      }
      return validated;
    });
    const steps = () => this.#replay(list, new ValidatedHistory(profile, trust), validating);
    return { start, profile, steps };
  }

  /** Precondition: all bodies are in the readings. */
  *#replay(
    { steps, modelOf }: RowList,
    history: ValidatedHistory,
    validating: Validating,
  ): Generator<TearStep> {
    for (const { at, sourceId, changed, removed } of steps) {
      for (const key of removed) history.remove(key);
      const resources = changed.map((state): ResolveResource => {
        const row = historyRow(state, sourceId);
        const brokenRuleOf = this.#bodies.readValidated(row, history.candidatesOf(row) ?? [], validating);
        const validated = history.take(row, brokenRuleOf);
        if (validated === undefined)
          return { row: state, model: findModel(modelOf, row.typeUrl, bodyInEffect(state)) };
        const model =
          validated.hash === undefined ? undefined : this.#bodies.readModel(validated.hash, row.typeUrl);
        return { row: state, model, validated };
      });
      yield { at, removed, changed: resources };
    }
  }
}

function findModel(modelOf: ModelOf, typeUrl: string, hash: string | undefined): ResourceModel | undefined {
  return hash === undefined ? undefined : modelOf(hash, typeUrl);
}

/** Returns the resource as the client reported it, without a report of the control plane. */
function historyRow(state: ResourceState, sourceId: string): HistoryRow {
  return { ...state, sourceId, side: 'client', controlPlane: null };
}
