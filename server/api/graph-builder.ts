import { LRUCache } from 'lru-cache';
import type { Graph, ResourceLinks, ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { type ModelOf, shownBodyHash } from '@/lib/model/shown-body';
import type { ResourceKey } from '@/lib/observation/observation';
import { aggregateTopology } from '@/lib/view-model/topology/aggregate-topology';
import { buildTopology } from '@/lib/view-model/topology/build-topology';
import type { Topology } from '@/lib/view-model/topology/topology';
import type { Codec } from '../codec/codec';
import type { Clock } from '../observe';
import type { Recorder } from '../recorder/recorder';
import type { GraphQuery } from './api';

export interface GraphBuilderOptions {
  readonly codec: Codec;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** About 300 elements are drawn by default; the rest is aggregated and opened on demand. */
const defaultLimit = 300;
const modelsKept = 60_000;

/** Rows -> decoded models -> graph. A model is made once for a body, so that one changed EDS resource costs one decode. */
export class GraphBuilder {
  /** By the list of rows itself: as long as somebody holds the list, the whole graph of it is made once. */
  private readonly topologies = new WeakMap<readonly ResourceRow[], Promise<Topology>>();
  private readonly models = new LRUCache<string, ResourceModel>({ max: modelsKept });

  constructor(private readonly options: GraphBuilderOptions) {}

  async build(clientId: string, rows: readonly ResourceRow[], query: GraphQuery): Promise<Graph> {
    const topology = await this.topologyOf(rows);
    const drawn = aggregateTopology(topology, {
      limit: query.limit ?? defaultLimit,
      expand: query.expand ?? [],
      focus: query.focus,
      find: query.find,
    });
    return {
      clientId,
      at: formatIsoTime(this.options.clock.now()),
      nodes: drawn.nodes,
      edges: drawn.edges,
      totals: { nodes: topology.nodes.length, edges: topology.edges.length },
      aggregated: drawn.aggregated,
    };
  }

  private topologyOf(rows: readonly ResourceRow[]): Promise<Topology> {
    const kept = this.topologies.get(rows);
    if (kept !== undefined) return kept;
    const made = this.loadModels(rows).then((modelOf) => buildTopology({ rows, modelOf }));
    this.topologies.set(rows, made);
    made.catch(() => this.topologies.delete(rows));
    return made;
  }

  async links(rows: readonly ResourceRow[], key: ResourceKey): Promise<ResourceLinks> {
    const modelOf = await this.loadModels(rows);
    return buildResourceLinks({ rows, modelOf, of: key });
  }

  /** Models of all rows with a body: kept ones, and those that are decoded now. */
  private async loadModels(rows: readonly ResourceRow[]): Promise<ModelOf> {
    const models = new Map<string, ResourceModel>();
    const missing = new Map<string, { readonly hash: string; readonly typeUrl: string }>();
    for (const row of rows) {
      const hash = shownBodyHash(row);
      if (hash === null) continue;
      const key = modelKey(hash, row.typeUrl);
      const kept = this.models.get(key);
      if (kept === undefined) missing.set(key, { hash, typeUrl: row.typeUrl });
      else models.set(key, kept);
    }
    if (missing.size > 0) {
      const wanted = [...missing.values()];
      const stored = await this.options.recorder.readBodies(wanted.map(({ hash }) => hash));
      const bodies = wanted.flatMap(({ hash, typeUrl }) => {
        const body = stored.get(hash);
        return body === undefined ? [] : [{ ...body, typeUrl }];
      });
      const decoded = await this.options.codec.decodeMany(bodies);
      for (const [index, { hash, typeUrl }] of bodies.entries()) {
        const model = parseResource(typeUrl, decoded[index]?.json);
        models.set(modelKey(hash, typeUrl), model);
        this.models.set(modelKey(hash, typeUrl), model);
      }
    }
    return (hash, typeUrl) => models.get(modelKey(hash, typeUrl));
  }
}

function modelKey(hash: string, typeUrl: string): string {
  return `${hash} ${typeUrl}`;
}
