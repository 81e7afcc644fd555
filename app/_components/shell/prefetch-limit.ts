/** A longer list would make the page itself slow: the browser asks for it beside the page. */
export const prefetchLimit = 500;
