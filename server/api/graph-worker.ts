import { messageType } from '../codec/root';
import { serveJobs } from '../threads/serve-jobs';
import { type GraphJobs, GraphMaker } from './graph-maker';

// Every type is found from here; that takes as long as a small graph, and may be done before one is asked for.
messageType('envoy.config.cluster.v3.Cluster');

/** Large clients that are looked at: each may hold 100 MB of rows and models. */
serveJobs<GraphJobs>(new GraphMaker({ listsKept: 4, bodiesPerTurn: 500 }).runners);
