import { LRUCache } from 'lru-cache';
import { clustersThatDiffer, noFailing } from '@/lib/facts/failing-endpoints';
import { type ConfigUse, readConfigUse } from '@/lib/known-bugs/read-config-use';
import { grpcProfileOf } from '@/lib/lb/grpc-profile';
import { buildResourceLinks } from '@/lib/model/resource-links';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { findLeadingListeners, type LeadingListeners } from '@/lib/resolve/leading-listeners';
import { buildReferenceReport } from '@/lib/resolve/reference-report';
import { type EffectLines, listEffect } from '@/lib/views/check/list-effect';
import { buildConnections, type ConnectionsContent } from '@/lib/views/connections/build-connections';
import { joinConfig } from '@/lib/views/connections/join-config';
import { listConfigEndpoints } from '@/lib/views/connections/list-config-endpoints';
import { readConnectedConfig } from '@/lib/views/connections/read-connected-config';
import { aggregateTopology } from '@/lib/views/graph/aggregate-topology';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { listMatches } from '@/lib/views/graph/find-in-topology';
import { hideNodes } from '@/lib/views/graph/hide-nodes';
import { markUnused } from '@/lib/views/graph/mark-unused';
import type { NodeMark } from '@/lib/views/graph/node-mark';
import { ReportedResources } from '@/lib/views/graph/reported-resources';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import type { References } from '@/lib/views/resolved/schema';
import { findConfiguredPeers, findConfiguredServers } from '@/lib/views/test-client/expected-shares';
import type { Profile } from '@/lib/xds/profile';
import type { LogReader } from '../../store/recorder/log-reader';
import { DecodedConnections } from '../connections/encoded-connections';
import {
  answerLbTree,
  answerPlay,
  type ClusterQuestion,
  emptyLbTree,
  emptyPlay,
  type LbTreeAnswer,
  type PlayAnswer,
} from '../failover/failover-builder';
import { ResolvedBuilder } from '../resolved/resolved-builder';
import { ResolvedHistory } from '../resolved/resolved-history';
import type { DrawQuery, OpenedResolver, ResolverQuestion } from '../resolved/resolved-questions';
import { pageOfReferences, type ReferencesPage } from '../resources/references-page';
import { BodyReadings } from '../rows/body-readings';
import { type HistoryExtent, type Past, readPast } from '../rows/read-past';
import type { Reading } from '../rows/reading';
import { RowList } from '../rows/row-list';

import type {
  ConnectionsQuestion,
  DrawnGraph,
  GraphJobs,
  QuestionInput,
  QuestionOutput,
  Questions,
  RowsPart,
} from './graph-questions';

interface GraphModelBuilderOptions {
  readonly listsKept: number;
  /** If absent, questions about a past are an error. */
  readonly log?: LogReader;
}

type Runners = {
  readonly [K in keyof GraphJobs]: (input: GraphJobs[K]['input']) => Reading<GraphJobs[K]['output']>;
};

type Answers = {
  readonly [Name in keyof Questions]: (
    list: RowList,
    query: Questions[Name]['query'],
    listName: string,
  ) => Reading<Questions[Name]['answer']>;
};

/** The number of nodes that are drawn by default. */
const defaultLimit = 300;

/**
 * Converts rows and bodies to models, and these to graph, references and effective config. It reads a body when a
 * question needs it and keeps the models, so that one changed EDS resource costs one decode. It runs in the worker for
 * large clients and on the main thread for small ones.
 */
export class GraphModelBuilder {
  readonly #options: GraphModelBuilderOptions;
  readonly #lists: LRUCache<string, RowList>;
  readonly readings = new BodyReadings();
  readonly #decoded = new DecodedConnections();
  readonly #resolved = new ResolvedBuilder(this.readings);
  readonly #past = new ResolvedHistory(this.readings);
  #open = 0;

  constructor(options: GraphModelBuilderOptions) {
    this.#options = options;
    this.#lists = new LRUCache({ max: options.listsKept });
  }

  readonly runners: Runners = {
    rows: (part) => this.#takeRows(part),
    history: (past) => this.#readHistory(past),
    question: (input) => this.#ask(input),
  };

  readonly #answers: Answers = {
    graph: (list, query, name) => this.#draw(name, list, query),
    links: (list, key) => this.#link(list, key),
    use: (list, profile) => this.#readUse(list, profile),
    references: (list, page) => this.#refer(list, page),
    connections: (list, query) => this.#connect(list, query),
    peers: (list, query) => this.#findPeers(list, query),
    resolved: (list, query, name) => this.#resolved.answer(name, list, query),
    witnesses: (list, query, name) => this.#resolved.witnesses(name, list, query),
    explain: (list, query, name) => this.#resolved.explain(name, list, query),
    leading: (list, query) => this.#lead(list, query.of),
    effect: (list, query, name) => this.#listEffect(name, list, query),
    lbTree: (list, query, name) => this.#answerLbTree(name, list, query),
    failover: (list, query, name) => this.#answerPlay(name, list, query),
    tears: (list, query) => this.#past.tears(list, query),
    failovers: (list, query) => this.#past.failovers(list, query),
    splitEpochs: (list, query) => this.#past.splitEpochs(list, query),
    childNumbers: (list, query) => this.#past.childNumbers(list, query),
  };

  *#draw(name: string, list: RowList, query: DrawQuery): Reading<DrawnGraph> {
    yield* list.readAll(this.readings);
    const { rows, modelOf } = list;
    const { isGrpc, failing = noFailing, lacksConnections } = query;
    list.references ??= buildReferenceReport({ rows, modelOf, namesClusters: isGrpc });
    if (
      list.drawn === undefined ||
      list.drawn.lacksConnections !== lacksConnections ||
      clustersThatDiffer(list.drawn.failing, failing)?.size !== 0
    ) {
      const topology = buildTopology({ rows, modelOf, isGrpc, failing, lacksConnections });
      list.drawn = { topology: markUnused(topology, list.references.orphans), failing, lacksConnections };
    }
    const { topology } = list.drawn;
    const visible = hideNodes(topology, query.hide ?? []);
    const shown = aggregateTopology(visible, { ...query, limit: query.limit ?? defaultLimit });
    const totals = { nodes: topology.nodes.length, edges: topology.edges.length };
    const drawn = {
      ...shown,
      totals,
      hidden: totals.nodes - visible.nodes.length,
      ...(query.find !== undefined && { matches: listMatches(visible, query.find, query.match) }),
    };
    if (query.resolve === undefined) return drawn;
    const all = yield* this.#resolved.marks(name, list, topology, query.resolve);
    const marks: Record<string, NodeMark> = {};
    for (const { id } of drawn.nodes) {
      const mark = all.get(id);
      if (mark !== undefined) marks[id] = mark;
    }
    return { ...drawn, marks };
  }

  *#link(list: RowList, key: ResourceKey): Reading<ResourceLinks> {
    yield* list.readAll(this.readings);
    return buildResourceLinks({ rows: list.rows, modelOf: list.modelOf, of: key });
  }

  *#readUse(list: RowList, profile: Profile): Reading<ConfigUse> {
    yield* list.readAll(this.readings);
    return readConfigUse(list.rows, list.modelOf, profile);
  }

  *#refer(list: RowList, page: ReferencesPage): Reading<References> {
    yield* list.readAll(this.readings);
    const { rows, modelOf } = list;
    list.references ??= buildReferenceReport({ rows, modelOf, namesClusters: page.isGrpc });
    return pageOfReferences(list.references, page);
  }

  *#connect(
    list: RowList,
    { view, connections: given, figures, ...input }: ConnectionsQuestion,
  ): Reading<ConnectionsContent> {
    yield* list.readAll(this.readings);
    list.connected ??= readConnectedConfig(new ReportedResources(list.rows, list.modelOf));
    const known = given !== undefined && 'bytes' in given ? this.#decoded.decode(given) : given;
    if (list.joined?.config !== list.connected || list.joined.connections !== known)
      list.joined = joinConfig(list.connected, known);
    return buildConnections({ joined: list.joined, figures, ...input }, view);
  }

  *#findPeers(
    list: RowList,
    { peers: names, addresses }: Questions['peers']['query'],
  ): Reading<Questions['peers']['answer']> {
    yield* list.readAll(this.readings);
    const endpoints = listConfigEndpoints(new ReportedResources(list.rows, list.modelOf));
    const peers = findConfiguredPeers(endpoints, names);
    return { peers, servers: findConfiguredServers(endpoints, { names, peers, addresses }) };
  }

  *#lead(list: RowList, of: readonly ResourceKey[]): Reading<LeadingListeners> {
    yield* list.readAll(this.readings);
    return findLeadingListeners({ rows: list.rows, modelOf: list.modelOf, of });
  }

  *#listEffect(
    name: string,
    list: RowList,
    { withShares, ...query }: Questions['effect']['query'],
  ): Reading<EffectLines> {
    const { opened } = yield* this.#resolved.open(name, list, query);
    if (opened === undefined) return { lines: [], isCut: false };
    return listEffect(opened.resolver, opened.profile, new Set(withShares));
  }

  *#answerLbTree(
    name: string,
    list: RowList,
    { about, ...query }: Questions['lbTree']['query'],
  ): Reading<LbTreeAnswer> {
    const { opened } = yield* this.#openForCluster(name, list, query, about);
    const profile = grpcProfileOf(query.profile);
    if (opened === undefined) return emptyLbTree(profile);
    return answerLbTree(opened, profile, about, query.trust.reason);
  }

  *#answerPlay(
    name: string,
    list: RowList,
    { about, ...query }: Questions['failover']['query'],
  ): Reading<PlayAnswer> {
    const profile = grpcProfileOf(query.profile);
    const { opened } = yield* this.#openForCluster(name, list, query, about);
    if (opened === undefined) return emptyPlay(profile, 'there is no listener to begin with');
    return answerPlay(opened.resolver, profile, about, query);
  }

  /** Without a cluster, the failover of the listener is shown that the effective config shows first. */
  #openForCluster(
    name: string,
    list: RowList,
    query: ResolverQuestion,
    { cluster }: ClusterQuestion,
  ): Reading<OpenedResolver> {
    return cluster === undefined
      ? this.#resolved.openWorst(name, list, query)
      : this.#resolved.open(name, list, query);
  }

  *#ask<Name extends keyof Questions>(input: QuestionInput<Name>): Reading<QuestionOutput<Name>> {
    const list = this.#lists.get(input.list);
    if (list?.version !== input.version) return { kind: 'unknown' };
    this.#open += 1;
    try {
      return { kind: 'answer', answer: yield* this.#answers[input.name](list, input.query, input.list) };
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.readings.releaseArrived();
    }
  }

  *#takeRows({ list: name, version, from, rows }: RowsPart): Reading<null> {
    const list = from === 0 ? new RowList(version) : this.#lists.peek(name);
    // The question that follows a part of a list that was dropped finds none.
    if (list?.version !== version || list.rows.length !== from) this.#lists.delete(name);
    else {
      list.rows.push(...rows);
      this.#lists.set(name, list);
    }
    // Questions about other lists are answered between two parts.
    yield [];
    return null;
  }

  *#readHistory(past: Past): Reading<HistoryExtent> {
    const { log } = this.#options;
    if (log === undefined) throw new Error('expected a log to read a past from, got none');
    const { draft, extent } = yield* readPast(log, past);
    const list = new RowList(0, draft.ownSteps());
    list.rows.push(...[...draft.rows().values()].sort(compareResourceKeys));
    this.#lists.set(past.list, list);
    return extent;
  }
}
