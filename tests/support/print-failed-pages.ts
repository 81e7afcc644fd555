import { afterEach } from 'vitest';
import { printFailedPages } from './e2e-browser';

afterEach(printFailedPages);
