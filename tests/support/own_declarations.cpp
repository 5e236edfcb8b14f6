// SPDX-License-Identifier: Apache-2.0
//
// A plugin of clang-tidy that limits what its checks look at to declarations outside of system
// headers: findings in those are not shown anyway, and matching all of Qt and the standard library
// for every source took sixteen times as long as matching what is ours.

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

#include <vector>

namespace {

using clang::tidy::ClangTidyCheck;

/// Runs at the translation unit itself, before its declarations are visited.
class OwnDeclarations : public ClangTidyCheck {
public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
        finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
    }

    void check(const clang::ast_matchers::MatchFinder::MatchResult& found) override {
        const clang::SourceManager& sources = *found.SourceManager;
        std::vector<clang::Decl*> own;
        for (clang::Decl* declaration : found.Context->getTranslationUnitDecl()->decls()) {
            if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
                own.push_back(declaration);
        }
        found.Context->setTraversalScope(own);
    }
};

class LockstepModule : public clang::tidy::ClangTidyModule {
public:
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<OwnDeclarations>("lockstep-own-declarations");
    }
};

const clang::tidy::ClangTidyModuleRegistry::Add<LockstepModule> kModule("lockstep-module",
                                                                        "Lockstep's plugin.");

}  // namespace
