/** Larger clients are loaded by the browser, because they would delay the page. */
export const prefetchLimit = 500;
