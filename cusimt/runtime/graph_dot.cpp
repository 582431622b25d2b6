// A graph as a DOT file: nodes with their kinds, kernels by name, copies by direction, and edges.
#include <stdio.h>

#include <string>

#include "graphs.h"
#include "host_call.h"

using namespace simt;

namespace {
const char* kind_name(const Work& work) {
    static const char* names[] = {"EMPTY", "KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EVENT_RECORD", "EVENT_WAIT"};
    static_assert(std::size(names) == std::variant_size_v<Work>);
    return names[work.index()];
}

std::string escaped(const std::string& text) {
    std::string result;
    for (char each : text) {
        if (each == '"' || each == '\\') result += '\\';
        result += each;
    }
    return result;
}

std::string extent(const char* name, const uint32_t counts[3]) {
    return std::string("\\n") + name + " (" + std::to_string(counts[0]) + "," + std::to_string(counts[1]) + "," +
           std::to_string(counts[2]) + ")";
}

std::string label(const CUgraphNode_st& node, unsigned flags) {
    static const char* directions[] = {"HtoH", "HtoD", "DtoH", "DtoD", "by address"};
    auto wants = [&](unsigned flag) { return flags & (flag | cudaGraphDebugDotFlagsVerbose); };
    std::string text = kind_name(node.work);
    if (auto* kernel = std::get_if<KernelWork>(&node.work)) {
        text += "\\n" + escaped(kernel->name());
        simt_launch launch = kernel->launch(nullptr);
        if (wants(cudaGraphDebugDotFlagsKernelNodeParams)) {
            text += extent("grid", launch.grid) + extent("block", launch.block);
            text += "\\nshared " + std::to_string(launch.dynamic_shared);
        }
    } else if (auto* copy = std::get_if<cudaMemcpy3DParms>(&node.work)) {
        text += std::string("\\n") + directions[copy->kind];
        if (wants(cudaGraphDebugDotFlagsMemcpyNodeParams)) {
            uint32_t extents[] = {uint32_t(copy->extent.width), uint32_t(copy->extent.height), uint32_t(copy->extent.depth)};
            text += extent("extent", extents);
        }
    } else if (auto* memset = std::get_if<cudaMemsetParams>(&node.work);
               memset && wants(cudaGraphDebugDotFlagsMemsetNodeParams)) {
        text += "\\nvalue " + std::to_string(memset->value) + "\\nwidth " + std::to_string(memset->width) + "\\nheight " +
                std::to_string(memset->height);
    }
    return text;
}

void write(FILE* file, const CUgraph_st& graph, unsigned flags) {
    fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\"\n", (unsigned long long)graph.id,
            (unsigned long long)graph.id);
    auto name = [&](const CUgraphNode_st* node) {
        return "graph_" + std::to_string(graph.id) + "_node_" + std::to_string(node->id);
    };
    for (const auto& node : graph.nodes) {
        fprintf(file, "\"%s\" [shape=box, label=\"%s\"]\n", name(node.get()).c_str(), label(*node, flags).c_str());
    }
    for (const auto& node : graph.nodes) {
        for (const Edge& edge : node->dependencies) {
            fprintf(file, "\"%s\" -> \"%s\"\n", name(edge.from).c_str(), name(node.get()).c_str());
        }
    }
    fputs("}\n", file);
    for (const auto& node : graph.nodes) {
        if (auto* child = std::get_if<ChildWork>(&node->work)) write(file, *child->graph, flags);
    }
}
}  // namespace

extern "C" cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags) {
    std::lock_guard lock(graphs_lock);
    if (!is_live(graph) || !path) return failed(cudaErrorInvalidValue);
    FILE* file = fopen(path, "w");
    if (!file) return failed(cudaErrorOperatingSystem);
    fputs("digraph dot {\n", file);
    write(file, *graph, flags);
    bool written = fputs("}\n", file) >= 0;
    written &= fclose(file) == 0;
    return written ? cudaSuccess : failed(cudaErrorOperatingSystem);
}
