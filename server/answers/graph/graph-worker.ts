import { makeUsualTypes } from '../../codec/root';
import { serveJobs } from '../../workers/serve-jobs';
import { type GraphJobs, GraphModelBuilder } from './graph-model-builder';

// Before a graph is asked for.
makeUsualTypes();

/** Large clients that are looked at: each may hold 100 MB of rows and models. */
serveJobs<GraphJobs>(new GraphModelBuilder({ listsKept: 4, bodiesPerTurn: 500 }).runners);
