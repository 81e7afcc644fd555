import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeRestart, leavePageAfterFailure, startSharedLab, story } from '../support/shared-lab';
import { describeLabRestart } from './lab/lab-restart';

// The order matters where a story counts what happened, or expects the resources that the lab starts with.
import './lab/convergence';
import './lab/nack';
import './lab/resolved-config';
import './lab/api-contract';
import './lab/compression';
import './lab/content-policy';
import './lab/documented-requests';
import './lab/resolved-tab';
import './lab/propagation';
import './lab/overview';
import './lab/issues';
import './lab/istiod';
import './lab/own-mesh';
import './lab/connections';
import './lab/test-client';
import './lab/failover';
import './lab/subsets';
import './lab/check';
import './lab/server-checks';
import './lab/history';
import './lab/pressed-rows';
import './lab/copied-url';
import './lab/time-range';
import './lab/phone';
import './lab/places';
import './lab/twenty-questions';
import './lab/every-page';
import './lab/explain';
import './lab/time-travel';
import './lab/load-travel';
import './lab/permalink';
import './lab/diff';
import './lab/search';
import './lab/dead-source';

beforeAll(startSharedLab);
afterEach(leavePageAfterFailure);
afterAll(() => story.end());

describeRestart();
describeLabRestart();

describe('the pages of all stories', () => {
  it('threw no error', () => {
    expect(story.pageErrors).toEqual([]);
  });
});
