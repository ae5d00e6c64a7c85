/**
 * streaming: what runs on a connection after its upgrade. Frames WebSocket and SPDY/3.1, carries the channels of exec, attach and
 * port-forward in them, and logs and watches over WebSocket. Knows sessions and bytes; not requests, users or objects.
 */
export { bytesOverWebSocket, bytesProtocols } from './bytes-over-web-socket.ts';
export { commandOverSpdy, type SpdyCommandProtocol, spdyCommandProtocols } from './command-over-spdy.ts';
export { type CommandProtocol, commandOverWebSocket, commandProtocols } from './command-over-web-socket.ts';
export { spdyHead, webSocketHead, webSocketRefusal } from './handshake.ts';
export { portsOverSpdy, spdyPortForwardProtocol } from './ports-over-spdy.ts';
export { portForwardProtocols, portsOverWebSocket } from './ports-over-web-socket.ts';
export { tunnel } from './tunnel.ts';
export { messageHead, WebSocket } from './web-socket.ts';
export { Wire } from './wire.ts';
