import { afterEach } from 'vitest';
import { printFailedPages } from '../support/e2e-browser';

afterEach(printFailedPages);
