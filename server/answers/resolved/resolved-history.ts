import { findChildNumbers } from '@/lib/lb/find-child-numbers';
import { findFailovers } from '@/lib/lb/find-failovers';
import type { ResourceModel } from '@/lib/model/parse-resource';
import { type ModelOf, type RowWithBody, shownBodyHash } from '@/lib/model/shown-body';
import type { ResourceState } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { findStarts } from '@/lib/resolve/find-starts';
import { findTears, type TearStep } from '@/lib/resolve/find-tears';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { type HistoryRow, ValidatedHistory } from '@/lib/resolve/validated-history';
import { buildRowContexts } from '../../validate/row-contexts';
import { ValidatedBodies, type Validating } from '../findings/validated-bodies';
import type { BodyReadings } from '../rows/body-readings';
import { type Reading, readUntilWhole } from '../rows/reading';
import type { RowList } from '../rows/row-list';
import { chooseStart } from './choose-start';
import type {
  ChildNumbersOutcome,
  ChildNumbersQuestion,
  FailoversOutcome,
  FailoversQuestion,
  HistoryQuery,
  TearsOutcome,
  TearsQuestion,
} from './resolved-questions';

type OpenedHistory =
  | { readonly kind: 'bad'; readonly message: string }
  | {
      readonly kind: 'history';
      /** null: no listener was ever there. */
      readonly start: ResolveStart | null;
      readonly steps: () => Iterable<TearStep>;
    };

/** A client's whole history, taken step by step as a client of the profile would have. */
export class ResolvedHistory {
  private readonly bodies: ValidatedBodies;

  constructor(private readonly readings: BodyReadings) {
    this.bodies = new ValidatedBodies(readings);
  }

  /** Where the history that led to the rows did not fit together, for a client of the profile. */
  *tears(list: RowList, query: TearsQuestion): Reading<TearsOutcome> {
    const { profile, errors: errorModel, from, until } = query;
    const opened = yield* this.openHistory(list, query);
    if (opened.kind === 'bad') return opened;
    const { start, steps } = opened;
    if (start === null) return { kind: 'answer', start: null, tears: [] };
    const tears = findTears({ start, profile, errorModel, steps: steps(), until });
    const within = tears.filter(({ toAt }) => (toAt ?? until) >= from);
    return { kind: 'answer', start, tears: within };
  }

  /** Which priority of a cluster carried traffic when, in the history that led to the rows. */
  *failovers(list: RowList, query: FailoversQuestion): Reading<FailoversOutcome> {
    const opened = yield* this.openHistory(list, query);
    if (opened.kind === 'bad') return opened;
    const { start, steps } = opened;
    if (start === null) return { kind: 'answer', cluster: null, periods: [] };
    const { profile, errors: errorModel, cluster, kind } = query;
    return { kind: 'answer', ...findFailovers({ start, profile, errorModel, cluster, kind, steps }) };
  }

  /** What a client's past has made of the numbers of its priorities' children. */
  *childNumbers(list: RowList, query: ChildNumbersQuestion): Reading<ChildNumbersOutcome> {
    const opened = yield* this.openHistory(list, query);
    if (opened.kind === 'bad') return opened;
    const { start, steps } = opened;
    if (start === null) return { kind: 'answer', numbers: new Map() };
    const { profile, errors: errorModel, kind } = query;
    const numbers = findChildNumbers({ start, profile, errorModel, kind, steps: steps() });
    return { kind: 'answer', numbers };
  }

  /** What a history begins with, and its steps as a client of the profile would have taken them: each time anew. */
  private *openHistory(list: RowList, query: HistoryQuery): Reading<OpenedHistory> {
    const { profile, trust, certificateProviders = null } = query;
    // The rules do not receive which clusters there were at each moment.
    const contextOf = buildRowContexts(undefined, certificateProviders);
    const validating = yield* readUntilWhole((missing) => {
      const history = new ValidatedHistory(profile, trust);
      const validated = { profile, contextOf, missing };
      for (const { changed, sourceId } of list.steps) {
        for (const state of changed) {
          const row = historyRow(state, sourceId);
          this.bodies.readValidated(row, history.candidatesOf(row) ?? [], validated);
        }
      }
      return validated;
    });
    yield* list.readAll(this.readings);
    const { rows, modelOf } = list;
    const starts = findStarts(rows, (row) => modelOfRow(modelOf, row));
    const start = chooseStart(query, starts[0]?.listener);
    if (typeof start === 'string') return { kind: 'bad', message: start };
    const steps = () => this.replay(list, new ValidatedHistory(profile, trust), validating);
    return { kind: 'history', start: start ?? null, steps };
  }

  /** All of it has been read. */
  private *replay(
    { steps, modelOf }: RowList,
    history: ValidatedHistory,
    validating: Validating,
  ): Generator<TearStep> {
    for (const { at, sourceId, changed, removed } of steps) {
      for (const key of removed) history.remove(key);
      const resources = changed.map((state): ResolveResource => {
        const row = historyRow(state, sourceId);
        const brokenRuleOf = this.bodies.readValidated(row, history.candidatesOf(row) ?? [], validating);
        const validated = history.take(row, brokenRuleOf);
        if (validated === undefined) return { row: state, model: modelOfRow(modelOf, state) };
        const model =
          validated.hash === null ? undefined : this.bodies.readModel(validated.hash, row.typeUrl);
        return { row: state, model, validated };
      });
      yield { at, removed, changed: resources };
    }
  }
}

function modelOfRow(
  modelOf: ModelOf,
  row: RowWithBody & Pick<ResourceRow, 'typeUrl'>,
): ResourceModel | undefined {
  const hash = shownBodyHash(row);
  return hash === null ? undefined : modelOf(hash, row.typeUrl);
}

/** As the client reported it then, with nobody beside it. */
function historyRow(state: ResourceState, sourceId: string): HistoryRow {
  return { ...state, sourceId, side: 'client', controlPlane: null };
}
