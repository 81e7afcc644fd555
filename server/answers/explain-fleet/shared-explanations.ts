import { createHash } from 'node:crypto';
import { type SharedFleetExplanation, sharedFleetExplanation } from '@/lib/views/explain/fleet-schema';
import { formatWithoutCredentials } from '@/lib/views/explain/hide-credentials';
import type { PermalinkCreated } from '@/lib/views/permalinks/schema';
import { ApiError, notFound } from '../../api-error';
import type { StateStore } from '../../store/state';
import type { FleetExplainer, FleetExplainQuery } from './fleet-explainer';

const prefix = 'explain-permalinks/';
const mostShared = 200;
const idChars = 22;

interface SharedExplanationsParts {
  readonly explainer: Pick<FleetExplainer, 'find'>;
  readonly state: Pick<StateStore, 'get' | 'list' | 'put'>;
}

/** Answers of the fleet about one request that were stored under permalinks. They are never changed nor deleted. */
export class SharedExplanations {
  readonly #parts: SharedExplanationsParts;

  constructor(parts: SharedExplanationsParts) {
    this.#parts = parts;
  }

  /** Throws ApiError 404. */
  async find(id: string): Promise<SharedFleetExplanation> {
    const found = await this.#parts.state.get(prefix + id, sharedFleetExplanation);
    if (found === undefined) throw notFound('Permalink', `no permalink has the id ${JSON.stringify(id)}`);
    return found.value;
  }

  async share(query: Pick<FleetExplainQuery, 'request' | 'q' | 'at'>): Promise<PermalinkCreated> {
    const { explainer, state } = this.#parts;
    const explanation = await explainer.find({ ...query, offset: 0, limit: 1 });
    const { explained, total, isComplete } = explanation;
    if (!isComplete) {
      const detail = `expected all ${total} clients to be explained, got ${explained}: share the answer when it is complete`;
      throw new ApiError(409, 'Answer is not complete', detail);
    }
    const text = formatWithoutCredentials({ q: query.q, explanation }, explanation.request);
    const id = createHash('sha256').update(text).digest('base64url').slice(0, idChars);
    const kept = await state.list(prefix, sharedFleetExplanation);
    if (!kept.some(({ key }) => key === id)) {
      if (kept.length >= mostShared) {
        const detail = `expected at most ${mostShared} shared answers, got one more: shared answers are never deleted`;
        throw new ApiError(409, 'Too many shared answers', detail);
      }
      await state.put(prefix + id, { id, ...(JSON.parse(text) as Omit<SharedFleetExplanation, 'id'>) });
    }
    return { id, url: `/p/explain/${id}` };
  }
}
