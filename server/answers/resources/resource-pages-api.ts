import { LRUCache } from 'lru-cache';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildResourceView, type ResourceView } from '@/lib/views/resources/build-resource-view';
import { parseResourceCursor } from '@/lib/views/resources/resource-cursor';
import { pageOfView } from '@/lib/views/resources/resource-page';
import { type ResourceQuestion, resourceQuestionOf } from '@/lib/views/resources/resource-question';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import type { ResourcePage, ResourcesQuery } from '@/lib/views/resources/schema';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import { takeSteps } from '../../workers/threads/take-steps';

/** Limits the different filters and orders per list of rows. */
const viewsKept = 8;

/** Returns pages of the rows of clients. The second page of a question costs only its rows. */
export class ResourcePages {
  /** The key is a list of rows, which is never modified. */
  readonly #views = new WeakMap<readonly ResourceRow[], LRUCache<string, Promise<ResourceView>>>();

  /** Ages in the filter end at `now`. */
  async find(rows: readonly ResourceRow[], query: ResourcesQuery, now?: EpochMs): Promise<ResourcePage> {
    const question = questionOf(query, now);
    const after = query.cursor === undefined ? undefined : parseResourceCursor(query.cursor, question.sort);
    if (query.cursor !== undefined && after === undefined) {
      const order = query.sort === undefined ? 'without sort' : `with sort=${query.sort}`;
      throw badRequest(`cursor: expected the nextCursor of a page ${order}, got another text`);
    }
    return pageOfView(await this.#view(rows, question), question.sort, { after, limit: query.limit });
  }

  #view(rows: readonly ResourceRow[], question: ResourceQuestion): Promise<ResourceView> {
    const views = this.#views.get(rows) ?? new LRUCache<string, Promise<ResourceView>>({ max: viewsKept });
    this.#views.set(rows, views);
    const name = JSON.stringify(question);
    const view = views.get(name) ?? takeSteps(buildResourceView(rows, question));
    views.set(name, view);
    return view;
  }
}

function questionOf(query: ResourcesQuery, now: EpochMs | undefined): ResourceQuestion {
  const unknown = query.type.find((key) => parseTypeKey(key) === undefined);
  if (unknown !== undefined)
    throw badRequest(`type: expected CDS or a type URL, got ${JSON.stringify(unknown)}`);
  return resourceQuestionOf(query, now);
}
