import { LRUCache } from 'lru-cache';
import type { Graph, ResourceLinks, ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import { buildResourceLinks } from '@/lib/model/resource-links';
import type { ResourceKey } from '@/lib/observation/observation';
import { aggregateTopology } from '@/lib/view-model/topology/aggregate-topology';
import { buildTopology } from '@/lib/view-model/topology/build-topology';
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
  private readonly models = new LRUCache<string, ResourceModel>({ max: modelsKept });

  constructor(private readonly options: GraphBuilderOptions) {}

  async build(clientId: string, rows: readonly ResourceRow[], query: GraphQuery): Promise<Graph> {
    const modelOf = await this.loadModels(rows);
    const topology = buildTopology({ rows, modelOf });
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

  async links(rows: readonly ResourceRow[], key: ResourceKey): Promise<ResourceLinks> {
    const modelOf = await this.loadModels(rows);
    return buildResourceLinks({ rows, modelOf, of: key });
  }

  private async loadModels(
    rows: readonly ResourceRow[],
  ): Promise<(hash: string) => ResourceModel | undefined> {
    const missing = new Map<string, string>();
    for (const { hash, typeUrl } of rows) {
      if (hash !== null && !this.models.has(hash)) missing.set(hash, typeUrl);
    }
    if (missing.size > 0) {
      const bodies = [...(await this.options.recorder.readBodies([...missing.keys()])).values()];
      const decoded = await this.options.codec.decodeMany(bodies);
      for (const [index, body] of bodies.entries()) {
        const { json } = decoded[index] ?? { json: undefined };
        this.models.set(body.hash, parseResource(missing.get(body.hash) ?? body.typeUrl, json));
      }
    }
    return (hash) => this.models.get(hash);
  }
}
